"""The graph-shaped values that every store engine keeps: nodes, edges, vectors, and the changes made of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Tokens: TypeAlias = Mapping[str, tuple[str, ...]]
"""Field name -> tokens made by `core.text`; engines match them exactly or by prefix. Empty = not searchable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One thing. `id` is computed (unique in the repository); times are microseconds UTC."""

    id: str
    family: str
    label: str
    scope: str
    name: str
    body: Mapping[str, Json] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=dict)
    created: int = 0
    updated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One directed relation between two nodes. `name` refines the label (a fact's predicate)."""

    id: str
    family: str
    label: str
    scope: str
    source: str
    target: str
    name: str = ""
    body: Mapping[str, Json] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=dict)
    created: int = 0
    updated: int = 0


Item: TypeAlias = Node | Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """An embedding of one item: little-endian float32 bytes, with the model that made it and a hash of its text."""

    item: str
    model: str
    text_hash: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Everything one write does, applied in one transaction or not at all.

    `put` replaces whole items by id; an edge's ends must exist after the change. `drop` removes items for good with
    their tokens and vectors, and a dropped node takes its edges along. `result` is returned to the caller, also when
    the same idempotency key is sent again.
    """

    put: tuple[Item, ...] = ()
    drop: tuple[str, ...] = ()
    vectors: tuple[Vector, ...] = ()
    result: Json = None

    @property
    def empty(self) -> bool:
        """Whether applying this would change nothing."""
        return not (self.put or self.drop or self.vectors)


@dataclass(frozen=True, slots=True)
class Applied:
    """Outcome of a write: the store's sequence after it, the plan's result, and whether a former write was replayed."""

    seq: int
    result: Json
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the change feed: at `seq`, `item` was put or dropped."""

    seq: int
    item: str
    dropped: bool


@dataclass(frozen=True, slots=True)
class TermStats:
    """Corpus figures the core needs to rank: within the asked families, labels and scopes."""

    documents: int
    length: Mapping[str, float]
    """Mean number of tokens per field, over the documents that have tokens at all."""
    frequency: Mapping[str, int]
    """Query term -> number of documents that hold it (a prefix term counts documents holding any expansion)."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What an engine narrowed a query to; the core ranks them. `total` counts matches before the cap."""

    items: tuple[Item, ...]
    stats: TermStats
    total: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Edges reached from some nodes and the nodes at their ends; `truncated` when a fan-out bound cut something."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    truncated: bool = False
