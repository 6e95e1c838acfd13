"""Results as text that people and models read: the source on every row, inside the data envelope, with the notice."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from remora.core.policy import REPLY_MAX_CHARS
from remora.core.recall.notice import envelope


def enclosed(lines: Sequence[str], *, max_chars: int = REPLY_MAX_CHARS) -> str:
    """Recalled lines with the notice, in an envelope that content cannot close."""
    return envelope(lines, max_chars=max_chars)


def saved(data: Mapping[str, Any]) -> str:
    """What became of saved triples."""
    rows = data["outcomes"]
    lines = [f"{row['outcome']}: {row['subject']} {row['predicate']} {row['object']}  [{row['id']}]" for row in rows]
    counts = ", ".join(f"{count} {name}" for name, count in data["counts"].items()) or "nothing to save"
    if data.get("dropped"):
        lines.append("dropped: " + ", ".join(f"{count} {reason}" for reason, count in data["dropped"].items()))
    return enclosed([counts, *lines])


def hits(data: Mapping[str, Any]) -> str:
    """Ranked hits of a recall: family, text, source, why."""
    if data.get("gated"):
        return f"Nothing recalled: {data['gated']}."
    if not data["hits"]:
        return "Nothing in memory answers this."
    lines: list[str] = []
    for number, hit in enumerate(data["hits"], 1):
        lines.append(f"{number}. [{hit['family']}] {hit['title']}")
        if hit.get("text") and hit["text"] != hit["title"]:
            lines.append(f"   {hit['text']}")
        lines.append(f"   source: {hit.get('source', '')} · why: {hit.get('why', '')} · {hit['id']}")
    return enclosed([*lines, *_more(data)])


def nodes(data: Mapping[str, Any]) -> str:
    """Entities found by name."""
    if not data["nodes"]:
        return "No entity matches."
    lines = []
    for node in data["nodes"]:
        also = f" (also {', '.join(node['aliases'])})" if node.get("aliases") else ""
        kind = f" : {node['type']}" if node.get("type") else ""
        lines.append(f"{node['name']}{also}{kind} — {node['facts']} facts  [{node['id']}]")
    return enclosed([*lines, *_more(data)])


def facts(data: Mapping[str, Any]) -> str:
    """Facts with their validity and source."""
    lines = [fact_line(row) for row in data["facts"]]
    if data.get("unknown"):
        lines.append("unknown: " + ", ".join(data["unknown"]))
    if data.get("as_of_note"):
        lines.append(data["as_of_note"])
    return enclosed([*lines, *_more(data)]) if lines else "No facts."


def fact_line(row: Mapping[str, Any]) -> str:
    """One fact on one line."""
    by = row.get("provenance", {})
    until = "" if row.get("current", True) else f" until {row.get('valid_to', '')}"
    cites = f" cites {', '.join(row['citations'])}" if row.get("citations") else ""
    source = f"{by.get('principal', '')} via {by.get('channel', '')}"
    return (
        f"{row['subject']} {row['predicate']} {row['object']}{until} — confidence {row['confidence']:g}, "
        f"confirmed {row['confirmations']}x, {source}{cites}  [{row['id']}]"
    )


def affected(data: Mapping[str, Any]) -> str:
    """What reaches a symbol, nearest first, and what is not known."""
    subject = data["subject"]
    head = f"{subject['id']} ({subject['kind']}, lines {subject['line']}-{subject['end_line']})"
    tiers = ", ".join(f"{count} {tier}" for tier, count in data["by_tier"].items())
    lines = [head, f"{data['total']} affected ({tiers or 'none'}), {data['tests']} of them tests"]
    lines += [_relation(row, f"hop {row['hops']}") for row in data["affected"]]
    return enclosed([*lines, *_unknown(data), *_evidence(data)])


def node(data: Mapping[str, Any]) -> str:
    """One symbol and its direct neighbours."""
    subject = data["node"]
    lines = [f"{subject['id']} ({subject['kind']}, lines {subject['line']}-{subject['end_line']})"]
    lines += [text for text in (subject["signature"], subject["doc"]) if text]
    lines += ["used by:", *(_relation(row, "") for row in data["incoming"])] if data["incoming"] else []
    lines += ["uses:", *(_relation(row, "") for row in data["outgoing"])] if data["outgoing"] else []
    return enclosed([*lines, *_unknown(data), *_evidence(data)])


def _relation(row: Mapping[str, Any], place: str) -> str:
    test = " test" if row["test"] else ""
    return (
        f"  {row['kind']} {row['id']} ({row['file']}:{row['line']}, {row['tier']}{test}{', ' + place if place else ''})"
    )


def _unknown(data: Mapping[str, Any]) -> Iterable[str]:
    if data["truncated"]:
        yield "truncated: raise the budget or narrow the question"
    if data["unresolved_calls"]:
        yield f"{data['unresolved_calls']} calls could not be told; absence of a caller is not proof"
    if data["freshness"]["stale_files"]:
        yield f"stale: {len(data['freshness']['stale_files'])} files changed since the index; run `remora update`"


def _evidence(data: Mapping[str, Any]) -> Iterable[str]:
    found = data.get("memory_evidence")
    return ["memory:", *(f"  {row['text']}" for row in found["records"])] if found and found["records"] else []


def _more(data: Mapping[str, Any]) -> Iterable[str]:
    if data.get("next_cursor"):
        yield f"more: cursor {data['next_cursor']}"
    elif data.get("truncated"):
        count = data.get("left_out") or data.get("total") or "more"
        yield f"truncated: {count} in all; narrow the query or raise the limit"
