"""Functions that send out what they are given: the request is that of whoever calls them."""

import re
from collections.abc import Iterator, Mapping, Sequence

from remora.core import policy
from remora.core.codegraph.boundaries.endpoints import Endpoint, Named, Passed, Used
from remora.core.codegraph.boundaries.texts import HOLE, PASSED
from remora.core.codegraph.boundaries.verbs import verb_in

_MARK = re.compile(rf"{PASSED}([^{PASSED}]*){PASSED}([\w.]+){PASSED}")


class Passing:
    """All calls of a tree that give texts to functions of it."""

    def __init__(self, endpoints: Mapping[int, Sequence[Endpoint]]) -> None:
        self._passed: dict[Named, list[tuple[int, Passed]]] = {}
        for file, rows in endpoints.items():
            for row in rows:
                if isinstance(row, Passed):
                    self._passed.setdefault((row.function[0], row.function[1]), []).append((file, row))

    def uses(self, file: int, used: Used, depth: int = 0) -> Iterator[tuple[int, Used]]:
        """The uses that one with named holes stands for, each with the file it is in; holes nobody fills are plain."""
        marks = {found[1] for text in (used.verb, *used.paths) for found in _MARK.finditer(text)}
        calls = [item for mark in sorted(marks) for item in self._passed.get((file, mark), ())]
        if not calls or depth >= policy.BOUNDARY_WRAPPERS:
            yield file, used._replace(verb=_verb(_unmarked(used.verb)), paths=[_unmarked(path) for path in used.paths])
            return
        for caller, row in calls:
            filled = used._replace(
                scope=row.scope,
                line=row.line,
                verb=_verb(_filled(used.verb, row)),
                paths=[_filled(path, row) for path in used.paths],
                doubt=used.doubt or row.doubt,
            )
            yield from self.uses(caller, filled, depth + 1)


def _filled(text: str, row: Passed) -> str:
    # An option that is not given is what it is by default.
    return _MARK.sub(
        lambda found: (
            row.texts.get(found[2], "GET" if "." in found[2] else HOLE) if found[1] == row.function[1] else HOLE
        ),
        text,
    )


def _unmarked(text: str) -> str:
    return _MARK.sub(HOLE, text)


def _verb(text: str) -> str:
    """A verb that was itself passed: what is no verb may be any."""
    if PASSED in text or "|" in text or not text:
        return text
    return verb_in(text) or "*"
