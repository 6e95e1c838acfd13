"""A plain Store in memory: the rules said as naively as possible, for use-case tests and as the engines' oracle."""

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from remora.core.cosine import best, cosine, floats
from remora.core.errors import Conflict, InvalidInput
from remora.core.graph import (
    Applied,
    Candidates,
    Change,
    Changes,
    Edge,
    Item,
    Neighbourhood,
    Node,
    TermStats,
    Vector,
)
from remora.core.item_codec import decode_item, decode_json, encode_item, encode_json
from remora.core.scope import Grant, Right
from remora.core.store_rules import authorise, capped, check, newest_cursor, right_to_drop_scope, storable
from remora.ports import Clock, Decide, Repository


@dataclass(frozen=True)
class State:
    """Everything one repository holds; replaced as a whole by each write."""

    seq: int = 0
    time: int = 0
    items: Mapping[str, Item] = field(default_factory=dict)
    vectors: Mapping[tuple[str, str], Vector] = field(default_factory=dict)
    feed: Mapping[str, Change] = field(default_factory=dict)
    replies: Mapping[tuple[str, str], tuple[int, str | None, frozenset[str]]] = field(default_factory=dict)


class MemoryView:
    """`StoreRead` by brute force over one state."""

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def seq(self) -> int:
        return self._state.seq

    def _visible(self, scopes: Collection[str], families: Collection[str] | None = None) -> list[Item]:
        items = sorted(self._state.items.values(), key=lambda item: item.id)
        return [i for i in items if i.scope in scopes and (families is None or i.family in families)]

    def get(self, ids: Iterable[str], scopes: Collection[str]) -> dict[str, Item]:
        wanted = set(ids)
        return {item.id: item for item in self._visible(scopes) if item.id in wanted}

    def scan(
        self,
        family: str,
        label: str,
        scopes: Collection[str],
        *,
        after: str = "",
        limit: int,
        newest_first: bool = False,
    ) -> tuple[tuple[Item, ...], str]:
        if limit < 1 or not storable(after):
            return (), ""
        items = [item for item in self._visible(scopes, (family,)) if item.label == label]
        if newest_first:
            items.sort(key=lambda item: (-item.updated, item.id))
            if after:
                time, last = newest_cursor(after)
                items = [item for item in items if (-item.updated, item.id) > (-time, last)]
        else:
            items = [item for item in items if item.id > after]
        page = tuple(items[:limit])
        if len(items) <= limit:
            return page, ""
        return page, f"{page[-1].updated}:{page[-1].id}" if newest_first else page[-1].id

    def text_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        terms: Collection[str],
        prefixes: Collection[str] = (),
        *,
        labels: Collection[str] = (),
        limit: int,
    ) -> Candidates:
        items = {i.id: i for i in self._visible(scopes, families) if not labels or i.label in labels}
        words = {i.id: {token for row in i.tokens.values() for token in row} for i in items.values()}
        matches = {term: {i for i, held in words.items() if term in held} for term in terms}
        for prefix in prefixes:
            if prefix:
                matches[prefix] = {i for i, held in words.items() if any(word.startswith(prefix) for word in held)}
        documents = sum(1 for held in words.values() if held)
        lengths = Counter[str]()
        for item in items.values():
            lengths.update({name: len(row) for name, row in item.tokens.items()})
        stats = TermStats(
            documents,
            {name: total / documents for name, total in sorted(lengths.items()) if total},
            {term: len(found) for term, found in matches.items()},
        )
        kept = capped(matches, limit)
        return Candidates(tuple(items[i] for i in kept), stats, len(set().union(*matches.values())))

    def vector_candidates(
        self,
        families: Collection[str],
        scopes: Collection[str],
        model: str,
        query: bytes,
        *,
        floor: float,
        limit: int,
    ) -> tuple[tuple[Item, float], ...]:
        scored = [
            (item.id, cosine(floats(query), floats(self._state.vectors[item.id, model].data)))
            for item in self._visible(scopes, families)
            if (item.id, model) in self._state.vectors
        ]
        return tuple((self._state.items[i], score) for i, score in best(scored, floor=floor, limit=limit))

    def expand(
        self,
        ids: Collection[str],
        scopes: Collection[str],
        *,
        labels: Collection[str],
        names: Collection[str] = (),
        outgoing: bool = True,
        incoming: bool = True,
        hops: int = 1,
        per_node: int,
        limit: int,
    ) -> Neighbourhood:
        visible = {item.id: item for item in self._visible(scopes)}
        edges = [
            item
            for item in visible.values()
            if isinstance(item, Edge)
            and item.label in labels
            and (not names or item.name in names)
            and item.source in visible
            and item.target in visible
        ]
        edges.sort(key=lambda edge: (-edge.updated, edge.id))
        found: dict[str, Edge] = {}
        truncated = False
        frontier = seen = set(ids) & set(visible)
        for _ in range(hops):
            fresh: dict[str, Edge] = {}
            for node in frontier:
                for wanted, end in ((outgoing, "source"), (incoming, "target")):
                    near = [edge for edge in edges if wanted and getattr(edge, end) == node]
                    truncated = truncated or len(near) > per_node
                    fresh |= {edge.id: edge for edge in near[:per_node] if edge.id not in found}
            room = max(0, limit - len(found))
            truncated = truncated or len(fresh) > room
            taken = sorted(fresh.values(), key=lambda edge: (-edge.updated, edge.id))[:room]
            found |= {edge.id: edge for edge in taken}
            frontier = {end for edge in taken for end in (edge.source, edge.target)} - seen
            seen = seen | frontier
        ends = sorted({end for edge in found.values() for end in (edge.source, edge.target)})
        nodes = tuple(node for node in (visible[end] for end in ends) if isinstance(node, Node))
        return Neighbourhood(nodes, tuple(found[edge] for edge in sorted(found)), truncated)

    def counts(self, scopes: Collection[str]) -> Mapping[tuple[str, str, str], int]:
        return dict(Counter((item.family, item.label, item.scope) for item in self._visible(scopes)))

    def snapshot(self, families: Collection[str], scopes: Collection[str]) -> tuple[Item, ...]:
        return tuple(self._visible(scopes, families))

    def changes(self, since: int, *, limit: int) -> tuple[Change, ...]:
        lines = sorted(self._state.feed.values(), key=lambda line: (line.seq, line.item))
        lines = [line for line in lines if line.seq > since]
        if limit < 1 or not lines:
            return ()
        last = lines[min(limit, len(lines)) - 1].seq
        return tuple(line for line in lines if line.seq <= last)

    def vectors_missing(
        self,
        families: Collection[str],
        scopes: Collection[str],
        model: str,
        *,
        labels: Collection[str] = (),
        limit: int,
    ) -> tuple[Item, ...]:
        missing = [
            item
            for item in self._visible(scopes, families)
            if any(item.tokens.values())
            and (not labels or item.label in labels)
            and (item.id, model) not in self._state.vectors
        ]
        return tuple(missing[: max(0, limit)]) if storable(model) else ()


class MemoryStore:
    """`Store` and `StoreAdmin` in memory."""

    def __init__(self, repository: Repository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock
        self._lock = threading.Lock()
        self._state = State()
        self._leases: dict[str, tuple[str, int]] = {}

    @contextmanager
    def read(self, grant: Grant) -> Iterator[MemoryView]:
        grant.require(self._repository.identity, Right.READ)
        yield MemoryView(self._state)

    def apply(self, grant: Grant, decide: Decide, *, idempotency_key: str = "") -> Applied:
        grant.require(self._repository.identity, Right.READ)
        key = (grant.principal, idempotency_key)
        with self._lock:
            state = self._state
            if idempotency_key and key in state.replies:
                seq, result, _ = state.replies[key]
                return Applied(seq, None if result is None else decode_json(result), replayed=True)
            moment = max(self._clock.now(), state.time + 1)
            self._state = replace(state, time=moment)  # handed out, even when the plan fails
            changes = decide(MemoryView(state), moment)
            state = replace(self._changed(state, grant, changes), time=moment)
            if idempotency_key:
                text = encode_json(changes.result, "result", "changes")
                about = frozenset(item.id for item in changes.put)
                state = replace(state, replies={**state.replies, key: (state.seq, text, about)})
            self._state = state
        return Applied(state.seq, changes.result)

    def _changed(self, state: State, grant: Grant, changes: Changes) -> State:
        if changes.empty:
            return state
        check(changes)
        put = {item.id: decode_item(encode_item(item)) for item in changes.put}
        gone = _with_edges(state, set(changes.drop) & set(state.items), set(put))
        touched = [item for name, item in state.items.items() if name in gone or name in put]
        authorise(grant, self._repository.identity, {item.scope for item in (*put.values(), *touched)})
        items = {name: item for name, item in state.items.items() if name not in gone} | put
        for item in put.values():
            former = state.items.get(item.id)
            if former is not None and type(former) is not type(item):
                raise InvalidInput("put", f"{item.id!r} cannot change its kind")
            if isinstance(item, Edge):
                for end in (item.source, item.target):
                    if not isinstance(items.get(end), Node):
                        raise InvalidInput("put", f"edge {item.id!r} ends at {end!r}")
        state = _without(state, gone)
        vectors = {k: v for k, v in state.vectors.items() if k[0] not in put or _same_words(state, put[k[0]])}
        for vector in changes.vectors:
            if vector.item not in items:
                raise InvalidInput("vectors", f"{vector.item!r} is no item")
            vectors[vector.item, vector.model] = vector
        seq = state.seq + 1
        feed = dict(state.feed) | {i: Change(seq, i, True) for i in gone} | {i: Change(seq, i, False) for i in put}
        return replace(state, seq=seq, items=items, vectors=vectors, feed=feed)

    def drop_scope(self, grant: Grant, scope: str) -> int:
        grant.require(self._repository.identity, right_to_drop_scope(scope))
        with self._lock:
            state = self._state
            inside = {item.id for item in state.items.values() if item.scope == scope}
            if inside:
                gone = _with_edges(state, inside, set())
                authorise(grant, self._repository.identity, {state.items[name].scope for name in gone})
                seq = state.seq + 1
                feed = dict(state.feed) | {name: Change(seq, name, True) for name in gone}
                self._state = replace(_without(state, gone), seq=seq, feed=feed)
        return len(inside)

    def lease(self, name: str, holder: str, seconds: int) -> bool:
        now = self._clock.now()
        with self._lock:
            owner, until = self._leases.get(name, (holder, 0))
            if owner != holder and until > now:
                return False
            self._leases[name] = (holder, now + seconds * 1_000_000)
        return True

    def migrate(self) -> int:
        return 1

    def health(self) -> Mapping[str, str | int | bool]:
        return {"engine": "memory", "layout": 1, "items": len(self._state.items), "seq": self.seq, "warnings": ""}

    @property
    def seq(self) -> int:
        return self._state.seq

    def verify(self) -> tuple[str, ...]:
        return ()

    def backup(self, target: Path) -> None:
        if target.exists():
            raise Conflict(f"{target} exists")
        target.write_text("\n".join(encode_item(item) for item in self._state.items.values()))

    def scrub(self) -> None:
        """Nothing of a former state is kept."""

    def close(self) -> None:
        """Nothing to release."""


def _with_edges(state: State, gone: set[str], kept: set[str]) -> set[str]:
    nodes = {name for name in gone if isinstance(state.items[name], Node)}
    edges = {
        item.id
        for item in state.items.values()
        if isinstance(item, Edge) and (item.source in nodes or item.target in nodes)
    }
    return gone | (edges - kept)


def _without(state: State, gone: set[str]) -> State:
    return replace(
        state,
        items={name: item for name, item in state.items.items() if name not in gone},
        vectors={key: vector for key, vector in state.vectors.items() if key[0] not in gone},
        replies={
            key: (seq, None if about & gone else result, about) for key, (seq, result, about) in state.replies.items()
        },
    )


def _same_words(state: State, item: Item) -> bool:
    former = state.items.get(item.id)
    places = former and (former.family, former.label, former.scope) == (item.family, item.label, item.scope)
    return bool(former and places and former.tokens == item.tokens)
