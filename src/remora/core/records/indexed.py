"""What an index keeps of a record so that it can be found, and what a query gets back to rank."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from itertools import chain

from remora.core import policy
from remora.core.graph import TermStats, Tokens
from remora.core.records import codec
from remora.core.records.log import BadRecord
from remora.core.records.model import AccessScope, Record, SourceArtifact, SymbolAnchor
from remora.core.records.vocabulary import (
    DECISIONS,
    Lifecycle,
    PathChangeKind,
    RecordKind,
    VerificationStatus,
)
from remora.core.text import tokens

FIELDS = ("title", "summary", "symbol", "path", "source")


class Category(IntEnum):
    """What a record is to someone about to change code; a smaller number is shown first."""

    PITFALL = 0
    DECISION = 1
    HISTORY = 2


def category_of(record: Record) -> Category:
    """The record's category."""
    if record.is_pitfall:
        return Category.PITFALL
    return Category.DECISION if record.kind in DECISIONS else Category.HISTORY


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedRecord:
    """A record as a candidate: what ranking, lifecycle and access need, and its bytes for rendering."""

    id: str
    kind: RecordKind
    category: Category
    lifecycle: Lifecycle
    occurred_at: int
    confidence: float
    verification: VerificationStatus
    repository: str
    access_scope: AccessScope
    owner: str
    tokens: Tokens
    data: bytes
    unreachable: bool = False
    """Whether it tells of a commit that no branch or tag holds any more: kept, and left out of ordinary reads."""

    @property
    def record(self) -> Record:
        """The whole record, read from its bytes."""
        return codec.parse(self.data, trusted=True).record

    @property
    def keys(self) -> frozenset[str]:
        """The anchor keys of the record."""
        return anchor_keys(self.record)


@dataclass(frozen=True, slots=True)
class RecordCandidates:
    """What a text query was narrowed to, by id. `total` counts the visible records that hold any of its words."""

    items: tuple[IndexedRecord, ...]
    stats: TermStats
    prefixes: tuple[str, ...]
    """The prefixes that were expanded; the others have an exact term that is held often enough."""
    total: int


@dataclass(frozen=True, slots=True)
class AnchorKey:
    """A key to look anchored records up by, within a span of time (Unix seconds, both ends included)."""

    key: str
    since: int = -policy.RECORD_TIME_MAX_SECONDS
    until: int = policy.RECORD_TIME_MAX_SECONDS


@dataclass(frozen=True, slots=True)
class Lineage:
    """One rename or copy: at `at`, `old` became (or was copied to) `new`. Both are anchor keys."""

    old: str
    new: str
    at: int
    copied: bool = False


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a read is narrowed to before anything is counted; empty collections narrow nothing."""

    kinds: frozenset[RecordKind] = frozenset()
    categories: frozenset[Category] = frozenset()


@dataclass(frozen=True, slots=True)
class IndexState:
    """How large an index is, whether this read found it ready (`unchanged`, `folded`, `built`), and what is bad.

    A restricted principal is told the number of records it sees, and nothing of the files, which hold others' as well.
    """

    records: int
    units: int = 0
    origin: str = ""
    bad: tuple[BadRecord, ...] = ()
    unreachable: int = 0
    """Recorded commits that no branch or tag holds any more."""


# --- Words ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """Everything an index files a record under."""

    words: dict[str, tuple[str, ...]]
    """Field -> tokens; empty fields are left out."""
    keys: frozenset[str]
    """Anchor keys: its paths old and new, and its symbols old and new."""
    paths: tuple[str, ...]
    lineage: tuple[Lineage, ...]


def index_entry(record: Record) -> IndexEntry:
    """What to file the record under. Words of paths and symbols are bounded: who touches all says little about each."""
    paths, anchors = record.paths, record.anchors
    words = {
        "title": tuple(tokens(record.title)),
        "summary": tuple(tokens(record.summary)),
        "symbol": _joined(anchor.label for anchor in anchors),
        "path": _joined(paths),
        "source": tuple(token for source in record.sources for token in _source_tokens(source)),
    }
    filled = {field: found for field, found in words.items() if found}
    return IndexEntry(filled, _keys(paths, anchors), paths, tuple(_lineage(record)))


def anchor_keys(record: Record) -> frozenset[str]:
    """Every key the record is found by: its paths old and new, and its symbols old and new."""
    return _keys(record.paths, record.anchors)


def _keys(paths: Iterable[str], anchors: Iterable[SymbolAnchor]) -> frozenset[str]:
    keys = {path_key(path) for path in paths}
    for anchor in anchors:
        if anchor.node_id:
            keys.add(node_key(anchor.node_id))
        if anchor.label:
            keys.update(_label_keys(anchor.label))
    return frozenset(keys)


@lru_cache(maxsize=65_536)
def _label_keys(label: str) -> tuple[str, str]:
    return symbol_key(label), tail_key(label)


def _joined(texts: Iterable[str]) -> tuple[str, ...]:
    distinct = list(dict.fromkeys(texts))[: policy.RECORD_INDEXED_NAMES_MAX]
    return tuple(chain.from_iterable(map(_name_tokens, distinct)))


_COMMIT = re.compile(r"git:[0-9a-f]{40}(?:[0-9a-f]{24})?")


def _source_tokens(source: SourceArtifact) -> tuple[str, ...]:
    if source.kind == "git" and _COMMIT.fullmatch(source.uri):  # most sources are commits, and a hash has no parts
        return ("git", source.uri[4:])
    return (*_name_tokens(source.kind), *tokens(source.uri))


@lru_cache(maxsize=65_536)
def _name_tokens(text: str) -> tuple[str, ...]:
    """Tokens of a path or label; the same few thousand names fill a whole history."""
    return tuple(tokens(text))


# --- Anchors ----------------------------------------------------------------------------------------------------------

_SEPARATORS = (".", "::", "#", "/")


def path_key(path: str) -> str:
    """Anchor key of a whole path."""
    return "p:" + _folded(path)


def ending_key(path: str) -> str:
    """Key of all paths that end like this one at a segment's border: `b.py` and `a/b.py` are endings of `x/a/b.py`."""
    return "e:" + _folded(path.rpartition("/")[2])


def folder_key(path: str) -> str:
    """Key of all paths below a folder."""
    return "d:" + _folded(path.strip("/"))


def symbol_key(label: str) -> str:
    """Anchor key of a symbol's whole name as written, without call brackets."""
    return "s:" + _folded(label.strip().removesuffix("()").strip("."))


def tail_key(label: str) -> str:
    """Anchor key of the last part of a qualified name."""
    name = label.strip().removesuffix("()")
    for separator in _SEPARATORS:
        name = name.rpartition(separator)[2] or name
    return "s:" + _folded(name)


def node_key(node_id: str) -> str:
    """Anchor key of a node id, as it is."""
    return "n:" + node_id


def _folded(text: str) -> str:
    return text.casefold()


def _lineage(record: Record) -> list[Lineage]:
    found = [
        Lineage(path_key(change.old_path), path_key(change.new_path), record.occurred_at, copied)
        for change in record.path_changes
        for copied in [change.kind is PathChangeKind.COPIED]
        if change.kind in (PathChangeKind.RENAMED, PathChangeKind.COPIED) and change.old_path and change.new_path
    ]
    found += [
        Lineage(tail_key(change.old.label), tail_key(change.new.label), record.occurred_at)
        for change in record.symbol_changes
    ]
    return [step for step in found if step.old != step.new]


def narrowed(record: IndexedRecord, narrowing: Narrowing) -> bool:
    """Whether the record passes the narrowing."""
    return _passes(record.kind, narrowing.kinds) and _passes(record.category, narrowing.categories)


def _passes(value: object, allowed: Collection[object]) -> bool:
    return not allowed or value in allowed
