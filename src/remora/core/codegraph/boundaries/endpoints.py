"""What one file exposes and reaches for, in a form that can be stored: JSON lists, symbols by file and name."""

from typing import Any, NamedTuple, TypeAlias

Ref: TypeAlias = tuple[int, str]
"""An object that routes hang on: the file that makes it, and the lasting name of the call."""
Named: TypeAlias = tuple[int, str]
"""A symbol: its file and qualified name."""


class Made(NamedTuple):
    """An object: its lasting name, the prefix it is made with, and what it is below of."""

    origin: str
    prefixes: list[str]
    parents: list[Ref]


class Mount(NamedTuple):
    """Objects hung below others under a prefix."""

    parents: list[Ref]
    prefixes: list[str]
    children: list[Ref]
    overrides: bool = False
    """Whether this prefix stands instead of the children's own."""


class Provided(NamedTuple):
    """Something exposed. `paths` are its keys, `action` names the handler where no symbol does."""

    channel: str
    line: int
    verb: str
    paths: list[str]
    refs: list[Ref]
    target: Named | None
    evidence: str
    action: str
    regex: bool


class Used(NamedTuple):
    """Something reached for, from a scope; `doubt` when it is in a test that may never send it."""

    channel: str
    scope: str
    line: int
    verb: str
    paths: list[str]
    refs: list[Ref]
    evidence: str
    doubt: bool


class Open(NamedTuple):
    """One thing exposed: where, under which whole key, and who handles it."""

    file: int
    line: int
    channel: str
    verb: str
    key: str
    segments: tuple[str, ...]
    target: Named | None
    action: str
    evidence: str
    sure: bool


class Passed(NamedTuple):
    """Texts given to a function of the tree: it may be the one that sends them out."""

    scope: str
    line: int
    function: Named
    texts: dict[str, str]
    """Place of a parameter -> text."""
    doubt: bool


Endpoint: TypeAlias = Made | Mount | Provided | Used | Passed
_KINDS: dict[str, Any] = {"made": Made, "mount": Mount, "provided": Provided, "used": Used, "passed": Passed}


def packed(rows: list[Endpoint]) -> list[list[Any]]:
    """Rows for JSON."""
    return [[type(row).__name__.lower(), *row] for row in rows]


def unpacked(rows: list[list[Any]]) -> list[Endpoint]:
    """Rows from JSON."""
    return [_KINDS[row[0]](*map(_plain, row[1:])) for row in rows]


def _plain(value: Any) -> Any:
    """A value as it was before JSON: a pair of a file and a name is a tuple."""
    if not isinstance(value, list):
        return value
    if len(value) == 2 and isinstance(value[0], int):
        return (value[0], value[1])
    return [_plain(item) for item in value]
