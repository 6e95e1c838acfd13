"""Facts as bytes: four lines of JSON, compressed, so that a reader unpacks no more of a file than it needs."""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from remora.core import policy
from remora.core.codegraph.facts import Binding, FileFacts, Import, Parameter, Scope, Site, Store
from remora.core.errors import Corrupt

_HEAD_BYTES = 2_048
_DECLARED = ("kind", "name", "qualified", "parent", "line", "end_line", "flags", "label", "owner", "result")
_TEXTS = ("signature", "doc")
_SPARSE = ("parameters", "returns", "yields", "bases", "decorators", "members", "attributes")
"""Fields that few scopes have anything in: written as the numbers of those scopes and what they have."""
_EMPTY: tuple[Callable[[], Any], ...] = (list, list, list, list, list, dict, dict)
_ORDER = (*_DECLARED[:6], *_SPARSE[:5], "result", "flags", *_SPARSE[5:], *_TEXTS, "label", "owner")
_declared, _texts, _sparse = (attrgetter(*names) for names in (_DECLARED, _TEXTS, _SPARSE))
# Facts hold no cycles: the check for them would cost a third of the time.
_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_Row = TypeVar("_Row", Binding, Import, Parameter, Site, Store)


class Outline(NamedTuple):
    """What packages need to know of a file without unpacking it."""

    package: str
    names: list[str]


def encode(facts: FileFacts) -> bytes:
    """Deterministic packed form; `decode` reads it back. The lines: outline, texts, declarations, all the rest."""
    scopes = facts.scopes
    lines = (
        [facts.package, facts.names, facts.problem],
        _columns(map(_texts, scopes)),
        [
            [facts.language, facts.lines, facts.code_lines, facts.errors],
            _columns(map(_declared, scopes)),
            _columns(facts.bindings),
        ],
        [
            [_held(column) for column in _columns(map(_sparse, scopes))],
            facts.expressions,
            _columns(facts.imports),
            _columns(facts.sites),
            _columns(facts.stores),
            facts.stars,
        ],
    )
    return zlib.compress("\n".join(map(_json, lines)).encode("ascii"), 1)


def _columns(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return list(zip(*rows, strict=True))


def _held(column: Sequence[Any]) -> tuple[list[int], list[Any]]:
    numbers = [number for number, value in enumerate(column) if value]
    return numbers, [column[number] for number in numbers]


def outline(data: bytes) -> Outline:
    """The first line of `encode`d bytes; raises `Corrupt` for others."""
    with _unreadable():
        stream = zlib.decompressobj()
        head = stream.decompress(data, _HEAD_BYTES)
        while b"\n" not in head:
            more = stream.decompress(stream.unconsumed_tail, _HEAD_BYTES)
            if not more:
                raise ValueError("no first line")
            head += more
        package, names, _ = json.loads(head.partition(b"\n")[0])
        return Outline(package, names)


def decode(data: bytes) -> FileFacts:
    """Facts from `encode`d bytes, or `Corrupt`."""
    with _unreadable():
        head, texts, declared, rest = zlib.decompress(data).decode("ascii").split("\n")
        return _decoded(head, json.loads(texts), declared, rest)


def decode_declarations(data: bytes) -> FileFacts:
    """Facts with scopes and bindings alone, and those without what they hold: enough to list the symbols."""
    with _unreadable():
        head, texts, declared, _ = zlib.decompress(data).decode("ascii").split("\n")
        return _decoded(head, json.loads(texts), declared, "")


def decode_links(data: bytes) -> FileFacts:
    """Facts without signatures and documentation, which no link depends on."""
    with _unreadable():
        head, _, declared, rest = zlib.decompress(data).decode("ascii").split("\n")
        return _decoded(head, None, declared, rest)


class Unpacked(dict[int, FileFacts]):
    """Facts by the number of the file, unpacked when asked for; what was not asked for of late is dropped."""

    def __init__(self, packed: Callable[[int], bytes]) -> None:
        super().__init__()
        self._packed = packed
        self._older: dict[int, FileFacts] = {}
        self._rows = 0

    def __missing__(self, number: int) -> FileFacts:
        found = self._older.pop(number, None) or decode_links(self._packed(number))
        self._rows += len(found.expressions)
        if self._rows > policy.FACTS_UNPACKED_ROWS:
            self._older = dict(self)
            self.clear()
            self._rows = len(found.expressions)
        self[number] = found
        return found

    def forget(self) -> None:
        """Drop everything: what is asked for from now on may be packed anew."""
        self.clear()
        self._older.clear()
        self._rows = 0


@contextmanager
def _unreadable() -> Iterator[None]:
    try:
        yield
    except (zlib.error, ValueError, TypeError, LookupError) as error:
        raise Corrupt(
            "the code graph holds facts that are damaged or of another version", advice="run `remora index --full`"
        ) from error


def _decoded(head: str, texts: list[list[str]] | None, declared: str, rest: str) -> FileFacts:
    package, names, problem = json.loads(head)
    (language, lines, code_lines, errors), columns, bindings = json.loads(declared)
    count = len(columns[0])
    fields: dict[str, Iterable[Any]] = dict(zip(_DECLARED, columns, strict=True))
    fields |= dict(zip(_TEXTS, texts if texts is not None else ([""] * count, [""] * count), strict=True))
    held, expressions, imports, sites, stores, stars = json.loads(rest) if rest else ([], [("?",)], [], [], [], [])
    for name, empty, (numbers, values) in zip(_SPARSE, _EMPTY, held or [([], [])] * len(_SPARSE), strict=True):
        column = [empty() for _ in range(count)]
        for number, value in zip(numbers, values, strict=True):
            column[number] = [Parameter(*row) for row in value] if name == "parameters" else value
        fields[name] = column
    return FileFacts(
        language,
        list(map(Scope, *(fields[name] for name in _ORDER))),
        list(map(tuple, expressions)),
        _rows(Binding, bindings),
        _rows(Import, imports),
        _rows(Site, sites),
        _rows(Store, stores),
        stars,
        lines,
        code_lines,
        errors,
        package,
        names,
        problem,
    )


def _rows(kind: type[_Row], columns: list[list[Any]]) -> list[_Row]:
    if not columns:
        return []
    if len(columns) != len(kind._fields):
        raise ValueError("another number of columns")
    # Half the time of calling the class for each row.
    make: Callable[[Any], _Row] = partial(tuple.__new__, kind)
    return list(map(make, zip(*columns, strict=True)))
