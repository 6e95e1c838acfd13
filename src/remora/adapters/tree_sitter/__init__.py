"""Parsing with tree-sitter: languages are pairs of a query and a table in `languages/`, found by looking."""
