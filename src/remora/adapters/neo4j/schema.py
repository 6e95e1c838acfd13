"""Constraints, indexes and the version of what lies in the database: made and checked when it is opened."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from remora.adapters.neo4j.link import Link
from remora.core.errors import Conflict, Unavailable

LAYOUT = 1
LEAST_SERVER = (5, 26)
LIVE = 1 << 52
"""`died` of a version that is not dead: far above any sequence number, of the same stored size as one."""

UNIQUE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "remora_schema": ("RemoraSchema", ("name",)),
    "remora_repository": ("RemoraRepository", ("id",)),
    "remora_item_version": ("RemoraItem", ("repo", "id", "born")),
    "remora_tombstone": ("RemoraTombstone", ("repo", "id", "born")),
    "remora_scope_version": ("RemoraScope", ("repo", "scope", "born")),
    "remora_write": ("RemoraWrite", ("repo", "seq")),
    "remora_reply": ("RemoraReply", ("repo", "key")),
    "remora_about": ("RemoraAbout", ("repo", "item", "key")),
    "remora_lease": ("RemoraLease", ("repo", "name")),
}
"""Name -> label and properties of each uniqueness constraint; its index serves look-ups too."""
INDEXES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "remora_item_source": ("RemoraItem", ("repo", "source", "updated")),
    "remora_item_target": ("RemoraItem", ("repo", "target", "updated")),
    "remora_item_id": ("RemoraItem", ("place", "id")),
    "remora_item_time": ("RemoraItem", ("place", "updated")),
    "remora_item_key": ("RemoraItem", ("repo", "key")),
    "remora_item_born": ("RemoraItem", ("repo", "born")),
    "remora_tombstone_born": ("RemoraTombstone", ("repo", "born")),
    "remora_posting_term": ("RemoraPosting", ("place", "term")),
    "remora_vector_model": ("RemoraVector", ("place", "model")),
    "remora_vector_item": ("RemoraVector", ("repo", "item")),
    "remora_dead": ("RemoraDead", ("repo", "died")),
    "remora_graph_uid": ("RemoraGraph", ("uid",)),
}
"""Likewise of each range index."""

_MAKE_UNIQUE = "CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({properties}) IS UNIQUE"
_MAKE_INDEX = "CREATE RANGE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({properties})"
_CONSTRAINTS = "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties"
_INDEXES = "SHOW INDEXES YIELD name, type, state, labelsOrTypes, properties"
_AWAIT = "CALL db.awaitIndexes($seconds)"
_COMPONENTS = "CALL dbms.components() YIELD name, versions, edition RETURN name, versions, edition"
_VERSION = "MERGE (s:RemoraSchema {name: 'store'}) ON CREATE SET s.layout = $layout RETURN s.layout"


def server_version(link: Link) -> tuple[str, str]:
    """Version and edition of the server, e.g. 5.26.30 community; raises `Unavailable` for one that is too old."""
    rows = link.once(_COMPONENTS)
    version, edition = next(((row[1][0], row[2]) for row in rows if "Kernel" in row[0]), ("0", "unknown"))
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < LEAST_SERVER:
        least = ".".join(map(str, LEAST_SERVER))
        raise Unavailable(
            f"the server {link.address} is Neo4j {version}; Remora needs {least} or later",
            advice=f"upgrade it to {least}",
        )
    return version, edition


def migrate(link: Link) -> int:
    """Make what is missing and check what is there; returns the layout. Several processes may race.

    Raises `Unavailable` for a newer layout or a server that is too old, `Conflict` for a constraint or index of our
    name that is another, `Denied` for a user who may not make them.
    """
    server_version(link)
    missing = set(faults(link))
    if missing:
        for name, (label, properties) in UNIQUE.items():
            link.once(_statement(_MAKE_UNIQUE, name, label, properties), read=False)
        for name, (label, properties) in INDEXES.items():
            link.once(_statement(_MAKE_INDEX, name, label, properties), read=False)
        link.once(_AWAIT, {"seconds": int(link.deadline_seconds)})
        if wrong := list(faults(link)):
            advice = "drop what carries these names, or give Remora a database of its own"
            raise Conflict(f"the database {link.address} is not as Remora needs it: {'; '.join(wrong)}", advice=advice)
    layout = int(link.once(_VERSION, {"layout": LAYOUT}, read=False)[0][0])
    if layout > LAYOUT:
        raise Unavailable(
            f"the database {link.address} has layout {layout}; this Remora knows layouts up to {LAYOUT}",
            advice="upgrade Remora, or name another database",
        )
    return layout


def faults(link: Link) -> Iterator[str]:
    """Every constraint and index that is missing, is another, or does not serve."""
    constraints: dict[str, list[Any]] = {row[0]: row[1:] for row in link.once(_CONSTRAINTS)}
    indexes: dict[str, list[Any]] = {row[0]: row[1:] for row in link.once(_INDEXES)}
    for name, (label, properties) in UNIQUE.items():
        kind, *place = constraints.get(name, ["missing", [], []])
        if "UNIQUENESS" not in kind or place != [[label], list(properties)]:
            yield f"constraint {name} is {'missing' if kind == 'missing' else 'another one'}"
    for name, (label, properties) in INDEXES.items():
        kind, state, *place = indexes.get(name, ["missing", "", [], []])
        if kind != "RANGE" or place != [[label], list(properties)]:
            yield f"index {name} is {'missing' if kind == 'missing' else 'another one'}"
        elif state != "ONLINE":
            yield f"index {name} is {state}"


def _statement(form: str, name: str, label: str, properties: tuple[str, ...]) -> str:
    return form.format(name=name, label=label, properties=", ".join(f"n.{part}" for part in properties))
