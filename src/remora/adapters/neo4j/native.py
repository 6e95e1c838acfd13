"""The operator's own queries in the database itself, over a graph that mirrors a repository's memory and code."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from neo4j import Query
from neo4j.exceptions import ClientError, DriverError, Neo4jError
from neo4j.graph import Node, Path, Relationship
from neo4j.time import Date, DateTime

from remora.adapters.neo4j.faults import translate
from remora.adapters.neo4j.link import Fetch, Link
from remora.core import policy
from remora.core.cypher.normalise import named, value
from remora.core.cypher.rows import Graph
from remora.core.cypher.scoping import scoped
from remora.core.cypher.tokens import tokens
from remora.core.errors import InvalidInput, LimitReached
from remora.core.graph import Json
from remora.ports import Table

MARK = "RemoraGraph"
CODE = "RemoraGraphCode"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SEEN = "MATCH (r:RemoraRepository {id: $repo}) RETURN r.mirrored"
_NOTE = "MATCH (r:RemoraRepository {id: $repo}) SET r.mirrored = $version"
_CLEAR = "MATCH (n:{scope}) WHERE {which} n:RemoraGraphCode WITH n LIMIT $limit DETACH DELETE n RETURN count(*)"
_NODES = "UNWIND $rows AS r CREATE (n:RemoraGraph:{scope}:{label}) SET n = r.properties"
_CODE_NODES = "UNWIND $rows AS r CREATE (n:RemoraGraph:RemoraGraphCode:{scope}:{label}) SET n = r.properties"
_RELATIONS = """
UNWIND $rows AS r
MATCH (a:RemoraGraph) WHERE a.uid = r.s AND a:{scope}
MATCH (b:RemoraGraph) WHERE b.uid = r.t AND b:{scope}
CREATE (a)-[x:{label}]->(b) SET x = r.properties
"""


class NativeQueries:
    """`GraphQueries` of one repository in its own database. `owner` does not matter: only the operator comes here."""

    def __init__(self, link: Link, repository: str) -> None:
        self._link = link
        self._repository = repository
        self._scope = f"{MARK}_{_word(repository)}"

    def run(
        self,
        owner: object,  # noqa: ARG002 - only the operator comes here
        version: int,
        graph: Callable[[], Graph],
        query: str,
        params: Mapping[str, Json],
    ) -> Table:
        """Bring the mirror up to date and run a gated query in a read session, when the server agrees that it reads.

        Raises `InvalidInput` for what the server does not understand, `LimitReached` at a time, memory or row limit.
        """
        text = "CYPHER 5 " + scoped(tokens(query), self._scope, MARK)
        seen = self._link.once(_SEEN, {"repo": self._repository})
        if not seen or seen[0][0] != version:
            self._mirror(version, graph())
        with self._link.session(read=True) as session:
            try:
                plan = session.run(Query("EXPLAIN " + text), dict(params)).consume()
                if plan.query_type != "r":
                    raise InvalidInput("query", "does not only read", allowed="a reading statement")
                timed = Query(text, timeout=policy.CYPHER_TIMEOUT_SECONDS)
                result = session.run(timed, dict(params))
                columns = tuple(named(key) for key in result.keys())  # noqa: SIM118 - a result is no mapping
                records = result.fetch(policy.CYPHER_ROWS_MAX + 1)
            except (DriverError, Neo4jError) as error:
                raise _fault(error, self._link) from error
        rows = [dict(zip(columns, (_plain(item) for item in record.values()), strict=True)) for record in records]
        kept = tuple(rows[: policy.CYPHER_ROWS_MAX])
        return Table(columns, kept, truncated=len(rows) > len(kept), warnings=())

    def mirror_code(self, nodes: Mapping[str, list[Any]], relations: Mapping[str, list[Any]]) -> tuple[int, int]:
        """Put a code graph beside the memory, in batches: nodes by label, relations by type. Replaces a former one."""
        self._clear("")
        for label, rows in nodes.items():
            self._make(_CODE_NODES, label, rows)
        for label, rows in relations.items():
            self._make(_RELATIONS, label, rows)
        return sum(map(len, nodes.values())), sum(map(len, relations.values()))

    def close(self) -> None:
        """Nothing to end."""

    def _mirror(self, version: int, graph: Graph) -> None:
        self._link.once(_NOTE, {"repo": self._repository, "version": None}, read=False)
        self._clear("NOT")
        for label, rows in graph.nodes.items():
            self._make(_NODES, label, rows)
        for (label, _, _), rows in graph.relations.items():
            self._make(_RELATIONS, label, rows)
        self._link.once(_NOTE, {"repo": self._repository, "version": version}, read=False)

    def _clear(self, which: str) -> None:
        statement = _CLEAR.format(scope=self._scope, which=which)

        def work(fetch: Fetch) -> int:
            return int(fetch(statement, {"limit": policy.SERVER_COLLECT_ROWS})[0][0])

        while self._link.write(work):
            pass

    def _make(self, form: str, label: str, rows: list[Any]) -> None:
        statement = form.format(scope=self._scope, label=_word(label))
        for batch in _batches(rows):
            self._link.write(lambda fetch, batch=batch: fetch(statement, {"rows": batch}))  # type: ignore[misc]


def _word(text: str) -> str:
    """A label or type of our own vocabulary; it is the one thing that goes into a statement as text."""
    if not _WORD.fullmatch(text):
        raise InvalidInput("label", f"{text[:40]!r} is no label")
    return text


def _batches(rows: list[Any]) -> Iterable[list[Any]]:
    return (rows[at : at + policy.SERVER_BATCH_ROWS] for at in range(0, len(rows), policy.SERVER_BATCH_ROWS))


def _fault(error: DriverError | Neo4jError, link: Link) -> Exception:
    name = (getattr(error, "code", "") or "").rpartition(".")[2]
    if "TimedOut" in name or "OutOfMemory" in name or "StackOverFlow" in name:
        return LimitReached("the query takes too long or too much memory", advice="match fewer nodes, return less")
    if isinstance(error, ClientError):
        return InvalidInput("query", f"the server does not run it ({name})", allowed="one reading statement")
    return translate(error, link.address)


def _plain(raw: Any) -> Json:
    """A value of the driver as the snapshot's engine would give it."""
    if isinstance(raw, Node):
        labels = sorted(label for label in raw.labels if not label.startswith(MARK))
        return {"labels": list(labels), "properties": {key: _plain(item) for key, item in raw.items()}}
    if isinstance(raw, Relationship):
        return {"type": raw.type, "properties": {key: _plain(item) for key, item in raw.items()}}
    if isinstance(raw, Path):
        return [_plain(node) for node in raw.nodes]
    if isinstance(raw, list):
        return [_plain(item) for item in raw]
    if isinstance(raw, dict):
        return {str(key): _plain(item) for key, item in raw.items()}
    if isinstance(raw, Date | DateTime):
        return raw.iso_format()
    return value(raw if isinstance(raw, bool | int | float | str | date | datetime) or raw is None else str(raw))
