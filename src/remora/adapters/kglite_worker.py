"""The process that answers queries: loads one snapshot into kglite, then one JSON line in, one out, within bounds."""

import json
import os
import re
import resource
import sys
from collections.abc import Iterator
from typing import IO, Any

from remora.core import policy
from remora.core.cypher.normalise import named, value

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_ROWS_KEPT = policy.CYPHER_ROWS_MAX + 1
"""One more than is shown tells that there are more."""


def main() -> None:
    """Serve until the input ends, within a memory bound."""
    bound = policy.CYPHER_MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["RAYON_NUM_THREADS"] = "1"  # each of its threads would reserve memory
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(read: IO[bytes], write: IO[bytes]) -> None:
    """The first line is the graph; each line after it a query."""
    frozen: Any = None
    for line in read:
        job = json.loads(line)
        if frozen is None:
            frozen = load(job)
            reply: dict[str, Any] = {"loaded": True}
        else:
            reply = answer(frozen, job["query"], job["params"])
        write.write(json.dumps(reply, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace") + b"\n")
        write.flush()


def load(graph: dict[str, Any]) -> Any:
    """An immutable graph. Labels come from our tables; an index on uid keeps loading relations linear."""
    import kglite

    kglite.set_query_warning_policy("silent")
    made = kglite.KnowledgeGraph()
    for label, rows in graph["nodes"].items():
        made.cypher(f"UNWIND $rows AS r CREATE (n:{label} {{uid: r.uid}}) SET n += r.properties", params={"rows": rows})
        made.cypher(f"CREATE INDEX FOR (n:{label}) ON (n.uid)")
    for label, source, target, rows in graph["relations"]:
        made.cypher(
            f"UNWIND $rows AS r MATCH (a:{source} {{uid: r.s}}), (b:{target} {{uid: r.t}}) "
            f"CREATE (a)-[x:{label}]->(b) SET x += r.properties",
            params={"rows": rows},
        )
    return made.freeze()


def answer(frozen: Any, query: str, params: dict[str, Any]) -> dict[str, Any]:
    """{columns, rows, truncated, warnings}, or {error, message}; never raises for what a query does."""
    import kglite

    try:
        found = frozen.cypher(
            query,
            params=params,
            timeout_ms=int(policy.CYPHER_TIMEOUT_SECONDS * 1_000),
            max_work_units=policy.CYPHER_WORK_UNITS,
            row_limit=_ROWS_KEPT,
        )
        if isinstance(found, str):
            return {"error": "invalid", "message": "this form of answer is not offered"}
        rows = found.to_list()
    except kglite.CypherTimeoutError:
        return {"error": "limit", "message": f"no answer within {policy.CYPHER_TIMEOUT_SECONDS:g} s"}
    except (kglite.KgError, ArithmeticError, ValueError, TypeError, RuntimeError, MemoryError) as error:
        # Values may be memory text, which no error may carry: what stands in quotes is left out.
        text = _QUOTED.sub("…", str(error).split("\n", 1)[0])[:300]
        limit = "max_work_units" in text or "safety limit" in text or isinstance(error, MemoryError)
        return {"error": "limit" if limit else "invalid", "message": text or type(error).__name__}
    kept = list(_within(rows[: policy.CYPHER_ROWS_MAX]))
    warnings = [text for text in found.warnings if "row_limit" not in text]
    return {
        "columns": [named(str(name)) for name in found.columns],
        "rows": kept,
        "truncated": len(kept) < len(rows),
        "warnings": warnings[:10],
    }


def _within(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    left = policy.CYPHER_BYTES_MAX
    for row in rows:
        clean = {named(str(key)): value(cell) for key, cell in row.items()}
        left -= len(json.dumps(clean, ensure_ascii=False))
        if left < 0:
            return
        yield clean
