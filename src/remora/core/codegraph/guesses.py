"""Guesses by unique name: a call nobody could tell, when one function of the language alone has its name."""

from collections.abc import Callable, Iterable, Mapping

from remora.core import policy
from remora.core.codegraph.linked import AMBIGUOUS, KINDS
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow, UnresolvedRow

CALLS = KINDS.index("calls")
CALLABLE = frozenset({"function", "method"})


def last_name(written: str) -> str:
    """The last part of a callee as written."""
    return written.rpartition(".")[2]


def guessed(
    rows: Iterable[UnresolvedRow],
    home: Mapping[int, int],
    named: Callable[[str], Iterable[tuple[int, int]]],
    family: Callable[[int], str],
) -> list[EdgeRow]:
    """An edge per caller and guessed callee.

    `home` gives a caller's file, `named` (id, file) of functions by name, `family` the family of a file's language.
    A guess settles nothing: the call stays counted among those that nobody could tell.
    """
    targets: dict[tuple[str, str], int] = {}
    found: dict[tuple[int, int], int] = {}
    for row in rows:
        name = last_name(row.name)
        if len(name) < policy.GUESS_NAME_CHARS:
            continue
        key = (family(home[row.source]), name)
        target = targets.get(key)
        if target is None:
            known = [symbol for symbol, file in named(name) if family(file) == key[0]]
            target = targets[key] = known[0] if len(known) == 1 else 0
        if target and target != row.source:
            place = (row.source, target)
            found[place] = min(row.line, found.get(place, row.line))
    return [EdgeRow(source, CALLS, target, AMBIGUOUS, line) for (source, target), line in sorted(found.items())]


def renamed(before: Iterable[SymbolRow], after: Iterable[SymbolRow]) -> set[str]:
    """Names of functions that some file has more, fewer or others of than before."""
    old = {(row.id, row.name) for row in before if row.kind in CALLABLE}
    new = {(row.id, row.name) for row in after if row.kind in CALLABLE}
    return {name for _, name in old ^ new}
