"""SCIP indexes (scip-code.org): read from their protobuf bytes, and matched with the relations of a code graph."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remora.core.codegraph.linked import AMBIGUOUS, EXTRACTED
from remora.core.codegraph.snapshot import EdgeRow, SymbolRow, UnresolvedRow
from remora.core.codegraph.view import CALLS, CONTAINS, GraphView
from remora.core.errors import InvalidInput

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_DEFINITION = 1
_LOCAL = "local "


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place where a symbol stands: its line counted from 1, and whether it is declared there."""

    line: int
    symbol: str
    definition: bool


@dataclass(frozen=True, slots=True)
class Document:
    """One file of an index; the path is relative to the project's root."""

    path: str
    occurrences: tuple[Occurrence, ...]


@dataclass(frozen=True, slots=True)
class Lift:
    """Relations that the index confirms, now of the first tier; relations for calls that could not be told before, and
    those calls; and the files that all of it is written in."""

    edges: tuple[EdgeRow, ...]
    added: tuple[EdgeRow, ...]
    told: frozenset[UnresolvedRow]
    files: tuple[int, ...]
    documents: int
    unknown_documents: int


# --- The wire format --------------------------------------------------------------------------------------------------


def read_index(data: bytes) -> list[Document]:
    """The documents of an index; raises `InvalidInput` for bytes that are none."""
    try:
        documents = [_document(part) for number, part in _fields(data) if number == 2 and isinstance(part, bytes)]
    except (IndexError, UnicodeDecodeError, ValueError) as error:
        raise InvalidInput("file", "is no SCIP index", allowed="the output of a SCIP indexer") from error
    if not any(document.path for document in documents):
        raise InvalidInput("file", "is a SCIP index without documents", allowed="the output of a SCIP indexer")
    return documents


def _document(data: bytes) -> Document:
    path, occurrences = "", []
    for number, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            path = value.decode("utf-8")
        elif number == 2 and isinstance(value, bytes):
            occurrences.append(_occurrence(value))
    return Document(path, tuple(occurrences))


def _occurrence(data: bytes) -> Occurrence:
    places: list[int] = []
    symbol, roles = "", 0
    for number, value in _fields(data):
        if number == 1:
            places += list(_packed(value)) if isinstance(value, bytes) else [value]
        elif number == 2 and isinstance(value, bytes):
            symbol = value.decode("utf-8")
        elif number == 3 and isinstance(value, int):
            roles = value
    return Occurrence(places[0] + 1 if places else 1, symbol, bool(roles & _DEFINITION))


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int]]:
    """(field number, value) of one message, in order; fixed-size values are passed over."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
        elif kind == _BYTES:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError("a field reaches beyond the message")
            yield tag >> 3, data[at : at + size]
            at += size
        elif kind in (_FIXED64, _FIXED32):
            at += 8 if kind == _FIXED64 else 4
        else:
            raise ValueError("an unknown kind of field")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")


def _packed(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


# --- Matching ---------------------------------------------------------------------------------------------------------


def lift(view: GraphView, documents: Sequence[Document]) -> Lift:
    """What the index confirms: a symbol stands inside of the one end and is declared at the other.

    Relations are lifted and calls that could not be told are bound; nothing else is added, so an index of another text,
    whose lines do not fit, does no harm.
    """
    files = {row.path: row.id for row in view.files()}
    known = [document for document in documents if document.path in files]
    inside = {document.path: _Spans(view.symbols(files=(files[document.path],))) for document in known}
    declared: dict[str, int] = {}
    for document in known:
        for occurrence in document.occurrences:
            row = inside[document.path].declared(occurrence) if occurrence.definition else None
            if row is not None:
                declared.setdefault(_key(document, occurrence), row.id)
    seen: set[tuple[int, int, int]] = set()
    for document in known:
        for occurrence in document.occurrences:
            target = None if occurrence.definition else declared.get(_key(document, occurrence))
            if target is not None:
                seen.add((inside[document.path].around(occurrence.line), target, occurrence.line))
    rows = {row.id: row for spans in inside.values() for row in spans.rows}
    sources, pairs = sorted({source for source, _, _ in seen}), {(source, target) for source, target, _ in seen}
    edges = [edge for edge in view.edges(sources=sources) if edge.tier < AMBIGUOUS] if sources else []
    lifted = sorted(edge._replace(tier=EXTRACTED) for edge in edges if _confirmed(edge, pairs, rows))
    told = _told(view.unresolved(sources=sources) if sources else [], seen, rows)
    present = {(edge.source, edge.kind, edge.target) for edge in edges}
    added = [edge for edge in sorted(set(told.values())) if (edge.source, edge.kind, edge.target) not in present]
    written = {rows[edge.source].file for edge in (*lifted, *told.values())}
    return Lift(
        tuple(lifted), _first(added), frozenset(told), tuple(sorted(written)), len(known), len(documents) - len(known)
    )


def _told(
    unresolved: Sequence[UnresolvedRow], seen: set[tuple[int, int, int]], rows: dict[int, SymbolRow]
) -> dict[UnresolvedRow, EdgeRow]:
    """Calls that could not be told, with the relation that the index has on their line under their name."""
    named = {(source, line, rows[target].name): target for source, target, line in sorted(seen)}
    found: dict[UnresolvedRow, EdgeRow] = {}
    for call in unresolved:
        target = named.get((call.source, call.line, call.name.rpartition(".")[2]))
        if target is not None:
            found[call] = EdgeRow(call.source, CALLS, target, EXTRACTED, call.line)
    return found


def _first(edges: Sequence[EdgeRow]) -> tuple[EdgeRow, ...]:
    """Of several calls between two symbols, the first one."""
    found: dict[tuple[int, int], EdgeRow] = {}
    for edge in edges:
        found.setdefault((edge.source, edge.target), edge)
    return tuple(found.values())


def _confirmed(edge: EdgeRow, pairs: set[tuple[int, int]], rows: dict[int, SymbolRow]) -> bool:
    """Whether the index has the pair; a call of a constructor stands there as a mention of its class."""
    if edge.kind == CONTAINS or edge.tier == EXTRACTED:
        return False
    target = rows.get(edge.target)
    return (edge.source, edge.target) in pairs or (
        target is not None and bool(target.parent) and (edge.source, target.parent) in pairs
    )


def _key(document: Document, occurrence: Occurrence) -> str:
    local = occurrence.symbol.startswith(_LOCAL)
    return f"{document.path}\0{occurrence.symbol}" if local else occurrence.symbol


class _Spans:
    """Declarations of one file by line."""

    def __init__(self, rows: Sequence[SymbolRow]) -> None:
        self.rows = sorted(rows, key=lambda row: (row.end_line - row.line, -len(row.qualified)))
        self._module = next((row.id for row in rows if not row.qualified), 0)

    def declared(self, occurrence: Occurrence) -> SymbolRow | None:
        """The declaration whose name the index puts on this line."""
        for row in self.rows:
            if row.line <= occurrence.line <= row.end_line and row.name and row.name in occurrence.symbol:
                return row
        return None

    def around(self, line: int) -> int:
        """The innermost declaration that holds the line, else the module."""
        return next((row.id for row in self.rows if row.qualified and row.line <= line <= row.end_line), self._module)
