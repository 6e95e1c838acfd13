"""Text as every family reads it: cleaning, name keys, index tokens and safe queries."""

from remora.core.text.names import clean, counted, fold_name, name_key
from remora.core.text.query import STOP_WORDS, Query, has_phrase, parse_query, similarity, trigrams
from remora.core.text.stem import stem
from remora.core.text.tokens import tokens

__all__ = [
    "STOP_WORDS",
    "Query",
    "clean",
    "counted",
    "fold_name",
    "has_phrase",
    "name_key",
    "parse_query",
    "similarity",
    "stem",
    "tokens",
    "trigrams",
]
