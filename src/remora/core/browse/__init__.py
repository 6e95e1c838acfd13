"""What a person leafs through: one shape of row for every family, facets, and pages merged from several lists."""
