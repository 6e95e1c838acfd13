"""Looking after a partition: clearing away former versions, health, verification."""

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from remora.adapters.neo4j import schema
from remora.adapters.neo4j.link import Fetch, Link
from remora.adapters.neo4j.rows import Part, keys_of, terms, unpack
from remora.adapters.neo4j.view import ServerView
from remora.core.graph import Edge, Item
from remora.core.policy import SERVER_COLLECT_ROWS

HORIZON = """
MATCH (w:RemoraWrite) WHERE w.repo = $repo AND w.seq >= 0
WITH w ORDER BY w.repo, w.seq LIMIT $limit WHERE w.at < timestamp() - $grace
WITH max(w.seq) AS horizon, collect(w) AS old
MATCH (r:RemoraRepository {id: $repo})
SET r.horizon = CASE WHEN horizon > r.horizon THEN horizon ELSE r.horizon END
FOREACH (w IN old | DELETE w)
RETURN r.horizon
"""
CLEAR = """
MATCH (d:RemoraDead) WHERE d.repo = $repo AND d.died <= $horizon WITH d LIMIT $limit
DELETE d RETURN count(*)
"""
ERASE_ITEMS = """
UNWIND $ids AS id MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.id = id AND i.born >= 0 DELETE i
"""
ERASE_VECTORS = "UNWIND $ids AS id MATCH (v:RemoraVector) WHERE v.repo = $repo AND v.item = id DELETE v"
ERASE_POSTINGS = "UNWIND $places AS place MATCH (p:RemoraPosting) WHERE p.place = place AND p.term >= '' DELETE p"
TOTALS = """
MATCH (r:RemoraRepository {id: $repo})
OPTIONAL MATCH (s:RemoraScope) WHERE s.repo = $repo AND s.scope > '' AND s.born >= 0 AND s.died = $live
RETURN r.seq, collect(s.scope)
"""
REPOSITORIES = "MATCH (r:RemoraRepository) RETURN count(r)"
FORMER = "MATCH (d:RemoraDead) WHERE d.repo = $repo AND d.died >= 0 RETURN count(d)"
EVERYTHING = """
MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.born >= 0 AND i.died > $seq AND i.born <= $seq
RETURN i.id, i.place, i.payload, i.crc, i.key, i.source IS NULL
"""
TWICE = """
MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.born >= 0 AND i.died = $live
WITH i.id AS id, count(*) AS times WHERE times > 1 RETURN id
"""
POSTINGS = """
UNWIND $places AS place MATCH (p:RemoraPosting)
WHERE p.place = place AND p.term >= '' AND p.born <= $seq AND p.died > $seq RETURN p.place, p.term, p.keys
"""
ORPHANS = """
MATCH (v:RemoraVector) WHERE v.repo = $repo AND v.item > '' AND v.died = $live
  AND NOT EXISTS { MATCH (i:RemoraItem) WHERE i.repo = $repo AND i.id = v.item AND i.born >= 0 AND i.died = $live }
RETURN count(v)
"""


def collect(fetch: Fetch, repository: str, grace_seconds: float) -> int:
    """Remove versions that died so long ago that no read can still see them; returns how many."""
    bound = {"repo": repository, "limit": SERVER_COLLECT_ROWS, "grace": int(grace_seconds * 1000)}
    horizon = fetch(HORIZON, bound)
    return int(fetch(CLEAR, bound | {"horizon": horizon[0][0]})[0][0]) if horizon else 0


def scrub(fetch: Fetch, repository: str) -> int:
    """Remove a batch of former versions, however young; returns how many, 0 when there are none left."""
    bound = {"repo": repository, "limit": SERVER_COLLECT_ROWS, "horizon": schema.LIVE - 1}
    return int(fetch(CLEAR, bound)[0][0])


def erase(fetch: Fetch, repository: str, ids: list[str], places: list[str]) -> None:
    """Remove every version of items that were just dropped, and the whole text index of their places."""
    for statement in (ERASE_ITEMS, ERASE_VECTORS, ERASE_POSTINGS):
        fetch(statement, {"repo": repository, "ids": ids, "places": places})


def health(link: Link, repository: str) -> dict[str, str | int | bool]:
    """Engine, versions, layout, constraints, counts and warnings of a partition."""
    version, edition = schema.server_version(link)
    wrong = list(schema.faults(link))
    with link.reads() as fetch:
        (seq, scopes), *_ = fetch(TOTALS, {"repo": repository, "live": schema.LIVE})
        view = ServerView(fetch, repository, seq, 0, set())
        items = sum(part.items for part in view.parts(scopes))
        repositories = fetch(REPOSITORIES, {})[0][0]
        former = fetch(FORMER, {"repo": repository})[0][0]
    return {
        "engine": "neo4j",
        "path": str(link.address),
        "neo4j": version,
        "edition": edition,
        "layout": schema.LAYOUT,
        "constraints": len(schema.UNIQUE),
        "indexes": len(schema.INDEXES),
        "repositories": repositories,
        "items": items,
        "former_versions": former,
        "seq": seq,
        "warnings": "; ".join(wrong),
    }


def verify(fetch: Fetch, view: ServerView, repository: str) -> Iterator[str]:
    """Everything that is bad in a partition, one sentence each."""
    bound: dict[str, Any] = {"repo": repository, "seq": view.seq, "live": schema.LIVE}
    scopes = fetch(TOTALS, bound)[0][1]
    parts = {part.place: part for part in view.parts(scopes)}
    rows = fetch(EVERYTHING, bound)
    nodes = {row[0] for row in rows if row[5]}
    counted: dict[str, Part] = {p.place: Part(p.place, p.family, p.label, p.scope) for p in parts.values()}
    expected: set[tuple[str, str, int]] = set()
    for item_id, place, payload, crc, key, _ in rows:
        item = unpack(payload, crc)
        if item is None or item.id != item_id:
            yield f"item {item_id}: its bytes are not what was written"
            continue
        part = counted.get(place)
        if part is None or (item.family, item.label, item.scope) != (part.family, part.label, part.scope):
            yield f"item {item_id}: is filed under the wrong family, label or scope"
        else:
            part.count(item, 1)
        yield from _loose_ends(item, nodes)
        expected |= {(place, term, key) for term in terms(item)}
    for place, part in parts.items():
        if part != counted[place]:
            yield f"counts of {part.scope}/{part.family}/{part.label}: they differ from the items"
    yield from _wrong_postings(fetch, bound, list(parts), expected)
    yield from (f"item {row[0]}: is there twice" for row in fetch(TWICE, bound))
    if orphans := fetch(ORPHANS, bound)[0][0]:
        yield f"vectors: {orphans} belong to no item"


def _loose_ends(item: Item, nodes: Collection[str]) -> Iterator[str]:
    if isinstance(item, Edge):
        for end in {item.source, item.target} - set(nodes):
            yield f"edge {item.id}: its end {end} is missing"


def _wrong_postings(
    fetch: Fetch, bound: dict[str, Any], places: list[str], expected: set[tuple[str, str, int]]
) -> Iterator[str]:
    stored: Counter[tuple[str, str, int]] = Counter()
    for place, term, data in fetch(POSTINGS, bound | {"places": places}):
        stored.update((place, term, key) for key in keys_of(data))
    if set(stored) != expected or stored.total() != len(expected):
        missing, surplus = len(expected - set(stored)), stored.total() - len(expected & set(stored))
        yield f"text index: {missing} entries missing, {surplus} too many"
