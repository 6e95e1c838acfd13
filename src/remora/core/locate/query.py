"""The words of a description, with or without the files that it names."""

import re
from dataclasses import dataclass

from remora.core import policy
from remora.core.text import parse_query
from remora.core.text.tokens import FILE_EXTENSIONS

_REFERENCE = re.compile(r"\(?(?:#|GH-)\d+\)?")
"""Numbers of issues and reviews: they name nothing in the code, and by chance much in it."""
_FILE_NAME = re.compile(
    r"(?:[\w.~@+-]+/)+[\w.~@+-]*|[\w~@+-][\w.~@+-]*\.(?:{})\b".format(
        "|".join(sorted(FILE_EXTENSIONS, key=len, reverse=True))
    )
)


@dataclass(frozen=True, slots=True)
class LocateQuery:
    """Distinct index tokens of a description, without function words and references."""

    text: str
    terms: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    """Identifier- and path-like words, as written."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.terms


def locate_query(text: str) -> LocateQuery:
    """Read any description; a text without words gives an empty query."""
    text = text[: policy.RECORD_QUERY_CHARS]
    parsed = parse_query(_REFERENCE.sub(" ", text))
    return LocateQuery(text.strip(), parsed.terms[: policy.LOCATE_TERMS_MAX], parsed.symbols)


def without_file_names(text: str) -> str:
    """The text without paths and file names, white space folded."""
    return " ".join(_FILE_NAME.sub(" ", text).split())
