"""One `Changes` turned into new versions of nodes inside an open write transaction."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from remora.adapters.neo4j.link import Fetch
from remora.adapters.neo4j.posting_writer import PostingWriter
from remora.adapters.neo4j.rows import Part, pack_parts, row_of, terms, unpack
from remora.adapters.neo4j.schema import LIVE
from remora.adapters.neo4j.view import ServerView
from remora.core.cosine import floats, squared_length
from remora.core.errors import InvalidInput
from remora.core.graph import Changes, Edge, Item, Vector
from remora.core.policy import SERVER_BATCH_ROWS
from remora.core.scope import Grant
from remora.core.store_rules import authorise, check

_MINE = "i.repo = $repo AND i.id = id AND i.born >= 0 AND i.died = $live"
OLD = f"""
UNWIND $ids AS id MATCH (i:RemoraItem) WHERE {_MINE}
RETURN i.id, i.key, i.place, i.source IS NULL, i.scope, i.payload, i.crc
"""
EDGES_OF = """
CALL () {
  UNWIND $ids AS id MATCH (e:RemoraItem)
  WHERE e.repo = $repo AND e.source = id AND e.updated >= $least AND e.died = $live RETURN e.id AS edge
 UNION
  UNWIND $ids AS id MATCH (e:RemoraItem)
  WHERE e.repo = $repo AND e.target = id AND e.updated >= $least AND e.died = $live RETURN e.id AS edge
}
RETURN edge
"""
NODES = f"UNWIND $ids AS id MATCH (i:RemoraItem) WHERE {_MINE} AND i.source IS NULL RETURN i.id"
PLACES = f"UNWIND $ids AS id MATCH (i:RemoraItem) WHERE {_MINE} RETURN i.id, i.place"
KILL = f"UNWIND $ids AS id MATCH (i:RemoraItem) WHERE {_MINE} SET i.died = $seq, i:RemoraDead"
MAKE = "UNWIND $rows AS row CREATE (i:RemoraItem {repo: $repo, born: $seq, died: $live}) SET i += row"
KILL_VECTORS = """
UNWIND $ids AS id MATCH (v:RemoraVector) WHERE v.repo = $repo AND v.item = id AND v.died = $live
SET v.died = $seq, v:RemoraDead
"""
KILL_VECTOR = """
UNWIND $rows AS row MATCH (v:RemoraVector)
WHERE v.repo = $repo AND v.item = row.item AND v.model = row.model AND v.died = $live
SET v.died = $seq, v:RemoraDead
"""
MAKE_VECTORS = "UNWIND $rows AS row CREATE (v:RemoraVector {repo: $repo, born: $seq, died: $live}) SET v += row"
TOMBSTONES = "UNWIND $ids AS id CREATE (:RemoraTombstone {repo: $repo, id: id, born: $seq, died: $live})"
KILL_TOMBSTONES = f"UNWIND $ids AS id MATCH (i:RemoraTombstone) WHERE {_MINE} SET i.died = $seq, i:RemoraDead"
BLANK_RESULTS = """
UNWIND $ids AS id MATCH (a:RemoraAbout) WHERE a.repo = $repo AND a.item = id AND a.key >= ''
MATCH (r:RemoraReply) WHERE r.repo = $repo AND r.key = a.key
REMOVE r.result DELETE a
"""
ABOUT = "UNWIND $ids AS id MERGE (:RemoraAbout {repo: $repo, item: id, key: $key})"
KILL_SCOPES = """
UNWIND $rows AS row MATCH (s:RemoraScope)
WHERE s.repo = $repo AND s.scope = row[0] AND s.born >= 0 AND s.died = $live
SET s.died = $seq, s:RemoraDead
"""
MAKE_SCOPES = (
    "UNWIND $rows AS row CREATE (:RemoraScope {repo: $repo, scope: row[0], born: $seq, died: $live, parts: row[1]})"
)
END_SCOPES = """
UNWIND $scopes AS scope
CREATE (:RemoraScope:RemoraDead {repo: $repo, scope: scope, born: $seq, died: $seq, parts: '[]'})
"""
CONTENT = "MATCH (i:RemoraItem) WHERE i.place = $place AND i.id > '' AND i.died = $live RETURN i.payload, i.crc"


class OldNode:
    """What a put replaces or a drop removes. `item` is None when its bytes are damaged."""

    __slots__ = ("id", "is_node", "item", "key", "place", "scope")

    def __init__(self, row: list[Any]) -> None:
        self.id, self.key, self.place, self.is_node, self.scope = row[:5]
        self.item = unpack(row[5], row[6])


class ChangeWriter:
    """Writes one `Changes` as sequence number `seq`, with all indexes and counts."""

    def __init__(self, fetch: Fetch, view: ServerView, repository: str, seq: int, numbers: tuple[int, int]) -> None:
        self._bound: dict[str, Any] = {"repo": repository, "seq": seq, "live": LIVE, "least": -(1 << 63)}
        self._fetch = fetch
        self._view = view
        self._repository = repository
        self.next_key, self.next_part = numbers
        self._postings = PostingWriter(fetch, {"repo": repository, "seq": seq}, self.next_key)
        self._scopes: dict[str, dict[tuple[str, str], Part]] = {}
        self._unsure: set[str] = set()

    def write(self, grant: Grant, repository: str, changes: Changes) -> None:
        """Check, authorise and apply; what is refused is refused before anything is written."""
        check(changes)
        put_ids = {item.id for item in changes.put}
        old = self._old([*put_ids, *changes.drop])
        self._cascade(old, put_ids)
        authorise(grant, repository, {item.scope for item in changes.put} | {node.scope for node in old.values()})
        self._check_ends(changes, old, put_ids)
        self._drop([node for node in old.values() if node.id not in put_ids])
        self._put(changes.put, old)
        self._put_vectors(changes.vectors)
        self._settle()

    def drop_ids(self, grant: Grant, repository: str, ids: Iterable[str]) -> list[str]:
        """Drop items, and the edges of dropped nodes; returns the ids of all that went."""
        old = self._old(ids)
        self._cascade(old, set())
        authorise(grant, repository, {node.scope for node in old.values()})
        self._drop(old.values())
        self._settle()
        return list(old)

    def keep_about(self, key: str, ids: Iterable[str]) -> None:
        """Note which items the kept result of a write tells of."""
        self._run(ABOUT, "ids", list(ids), {"key": key})

    def _run(self, statement: str, name: str, rows: list[Any], more: Mapping[str, Any] = {}) -> list[list[Any]]:
        """Run a statement over batches of rows."""
        found: list[list[Any]] = []
        for at in range(0, len(rows), SERVER_BATCH_ROWS):
            found += self._fetch(statement, self._bound | {name: rows[at : at + SERVER_BATCH_ROWS], **more})
        return found

    def _old(self, ids: Iterable[str]) -> dict[str, OldNode]:
        rows = self._run(OLD, "ids", [item for item in dict.fromkeys(ids) if item])
        return {row[0]: OldNode(row) for row in rows}

    def _cascade(self, old: dict[str, OldNode], put_ids: set[str]) -> None:
        """Add the edges of dropped nodes to what goes; an edge that is put anew is not theirs any more."""
        nodes = [node.id for node in old.values() if node.is_node and node.id not in put_ids]
        edges = {row[0] for row in self._run(EDGES_OF, "ids", nodes)}
        old.update(self._old(edges - put_ids - old.keys()))

    def _check_ends(self, changes: Changes, old: dict[str, OldNode], put_ids: set[str]) -> None:
        nodes = {item.id for item in changes.put if not isinstance(item, Edge)}
        for item in changes.put:
            former = old.get(item.id)
            if former and former.is_node == isinstance(item, Edge):
                raise InvalidInput("put", f"{item.id!r} cannot turn from a node into an edge or back")
        ends = {end: item.id for item in changes.put if isinstance(item, Edge) for end in (item.source, item.target)}
        gone = old.keys() - put_ids
        outside = sorted(ends.keys() - nodes - gone)
        there = {row[0] for row in self._run(NODES, "ids", outside)}
        for end in ends.keys() - nodes:
            if end in gone or end not in there:
                raise InvalidInput("put", f"edge {ends[end]!r} ends at {end!r}, which is no node after this write")

    # --- counts -------------------------------------------------------------------------------------------------------

    def _parts(self, scope: str) -> dict[tuple[str, str], Part]:
        if scope not in self._scopes:
            parts = self._view.parts((scope,))
            self._scopes[scope] = {(p.family, p.label): replace(p, fields=dict(p.fields)) for p in parts}
        return self._scopes[scope]

    def _part(self, item: Item) -> Part:
        parts = self._parts(item.scope)
        name = (item.family, item.label)
        if name not in parts:
            parts[name] = Part(f"{self._repository}:{self.next_part}", item.family, item.label, item.scope)
            self.next_part += 1
        return parts[name]

    def _part_of(self, node: OldNode) -> Part | None:
        return next((part for part in self._parts(node.scope).values() if part.place == node.place), None)

    def _uncount(self, node: OldNode) -> None:
        """An item left its part; what a damaged one counted for is unknown."""
        part = self._part_of(node)
        if part is None:
            return
        if node.item is None:
            part.items -= 1
            self._unsure.add(node.place)
        else:
            part.count(node.item, -1)
            self._postings.remove(node.place, terms(node.item), node.key)

    # --- items --------------------------------------------------------------------------------------------------------

    def _drop(self, nodes: Collection[OldNode]) -> None:
        """Remove items with their tokens, vectors and kept results."""
        for node in nodes:
            self._uncount(node)
        ids = [node.id for node in nodes]
        for statement in (KILL, KILL_VECTORS, TOMBSTONES, BLANK_RESULTS):
            self._run(statement, "ids", ids)

    def _put(self, items: Collection[Item], old: dict[str, OldNode]) -> None:
        rows: list[Mapping[str, Any]] = []
        replaced: list[str] = []
        for item in items:
            part, former = self._part(item), old.get(item.id)
            key = former.key if former else self.next_key
            self.next_key += former is None
            rows.append(row_of(item, key, part.place))
            if former and _same_words(former, item, part.place):
                continue
            if former:
                replaced.append(former.id)
                self._uncount(former)
            part.count(item, 1)
            self._postings.add(part.place, terms(item), key)
        self._run(KILL, "ids", [item.id for item in items if item.id in old])
        self._run(KILL_VECTORS, "ids", replaced)
        self._run(KILL_TOMBSTONES, "ids", [item.id for item in items if item.id not in old])
        self._run(MAKE, "rows", rows)

    def _put_vectors(self, vectors: Iterable[Vector]) -> None:
        latest = {(vector.item, vector.model): vector for vector in vectors}
        places = {row[0]: row[1] for row in self._run(PLACES, "ids", sorted({item for item, _ in latest}))}
        rows: list[Mapping[str, Any]] = []
        for vector in latest.values():
            if vector.item not in places:
                raise InvalidInput("vectors", f"{vector.item[:80]!r} is no item of this repository")
            length = squared_length(floats(vector.data)) ** 0.5
            rows.append(
                {"item": vector.item, "model": vector.model, "place": places[vector.item], "length": length,
                 "text_hash": vector.text_hash, "size": len(vector.data), "data": vector.data}
            )  # fmt: skip
        self._run(KILL_VECTOR, "rows", [{"item": row["item"], "model": row["model"]} for row in rows])
        self._run(MAKE_VECTORS, "rows", rows)

    def _settle(self) -> None:
        """Bring postings and counts up to date and forget parts that became empty, names included."""
        self._postings.settle()
        rows, ended = [], []
        for scope, parts in self._scopes.items():
            for part in parts.values():
                if part.place in self._unsure:
                    self._recount(part)
            held = [part for part in parts.values() if part.items]
            former = self._view.parts((scope,))
            if sorted(held, key=_place) == sorted(former, key=_place):
                continue
            (rows.append([scope, pack_parts(held)]) if held else ended.append(scope))
        self._run(KILL_SCOPES, "rows", [*rows, *([scope] for scope in ended)])
        self._run(MAKE_SCOPES, "rows", rows)
        self._run(END_SCOPES, "scopes", ended)

    def _recount(self, part: Part) -> None:
        """Count anew what damaged items had counted for."""
        part.documents, part.fields = 0, {}
        items = part.items
        for item in self._whole(part.place):
            part.count(item, 1)
        part.items = items

    def _whole(self, place: str) -> Iterator[Item]:
        for payload, crc in self._fetch(CONTENT, self._bound | {"place": place}):
            item = unpack(payload, crc)
            if item is not None:
                yield item


def _place(part: Part) -> str:
    return part.place


def _same_words(former: OldNode, item: Item, place: str) -> bool:
    return former.place == place and former.item is not None and dict(former.item.tokens) == dict(item.tokens)
