"""Answer a reading Cypher query over a copy of exactly what the caller may see."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from remora.core import policy
from remora.core.cypher.gate import gated
from remora.core.cypher.normalise import rewritten
from remora.core.cypher.rows import FAMILIES, Graph, graph_of
from remora.core.encounters.values import scrubber
from remora.core.errors import InvalidInput, LimitReached
from remora.core.graph import Json
from remora.core.recall.notice import NOTICE
from remora.core.scope import REPOSITORY, Channel, Grant
from remora.ports import CypherPorts, StoreRead, Table

_PREFIXES = ("enc_", "rel_", "ent_", "fct_", "als_")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows within the reply's budget; `truncated` when a limit cut them."""

    table: Table

    def to_json(self) -> dict[str, Json]:
        """The machine form."""
        kept: list[Json] = []
        left = policy.REPLY_MAX_CHARS
        for row in self.table.rows:
            left -= len(json.dumps(row, ensure_ascii=False))
            if left < 0:
                break
            kept.append(dict(row))
        return {
            "columns": list(self.table.columns),
            "rows": kept,
            "row_count": len(kept),
            "truncated": self.table.truncated or len(kept) < len(self.table.rows),
            "warnings": list(self.table.warnings),
            "notice": NOTICE,
        }


@dataclass(frozen=True, slots=True)
class _Seen:
    """The store's sequence when it was last looked at, and of the last change that queries can see."""

    seq: int
    version: int


def read_cypher(ports: CypherPorts, grant: Grant, query: str, params: Mapping[str, Any] | None = None) -> Rows:
    """Run one statement. Raises `InvalidInput` when the gate or the engine refuses it, `LimitReached` at a limit."""
    text = rewritten(gated(query))
    values = _checked(params or {})
    owner = (ports.repository.id, replace(grant, channel=Channel.CLI, client=""))
    key = ("cypher", *owner)
    with ports.store.read(grant) as view:
        seen = ports.cache.get(key)
        found = _refreshed(seen if isinstance(seen, _Seen) else None, view)
    ports.cache.put(key, found)

    def graph() -> Graph:
        with ports.store.read(grant) as view:
            size = sum(count for (family, _, _), count in view.counts((REPOSITORY,)).items() if family in FAMILIES)
            if size > policy.CYPHER_ITEMS_MAX:
                raise LimitReached(
                    f"the graph holds {size:,} items; queries run on at most {policy.CYPHER_ITEMS_MAX:,}",
                    advice="search, find_by_name and query_subgraph have no such limit",
                )
            return graph_of(view.snapshot(FAMILIES, (REPOSITORY,)), scrubber(ports.redact))

    return Rows(ports.queries.run(owner, found.version, graph, text, values))


def _refreshed(seen: _Seen | None, view: StoreRead) -> _Seen:
    """Writes that no query sees (a ledger, a session) keep the snapshot that is there."""
    if seen is None or seen.seq > view.seq:
        return _Seen(view.seq, view.seq)
    if seen.seq == view.seq:
        return seen
    lines = view.changes(seen.seq, limit=policy.SNAPSHOT_CHANGES_MAX)
    if len(lines) < policy.SNAPSHOT_CHANGES_MAX and not any(line.item.startswith(_PREFIXES) for line in lines):
        return _Seen(view.seq, seen.version)
    return _Seen(view.seq, view.seq)


def _checked(params: Mapping[str, Any]) -> dict[str, Json]:
    try:
        size = len(json.dumps(params, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("params", "is not plain JSON", allowed="an object of JSON values") from error
    if size > policy.CYPHER_PARAMS_MAX_CHARS:
        raise InvalidInput("params", f"has {size:,} characters", allowed=f"at most {policy.CYPHER_PARAMS_MAX_CHARS:,}")
    return dict(params)
