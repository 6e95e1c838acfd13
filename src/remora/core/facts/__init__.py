"""Facts: what is known about a repository, as triples with a history. Pure: plans are made here, stores apply them."""
