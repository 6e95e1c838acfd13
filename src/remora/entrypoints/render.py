"""Results as text that people and models read: the source on every row, inside the data envelope, with the notice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from remora.core.encounters.times import shown
from remora.core.policy import EVIDENCE_TITLE_CHARS, EVIDENCE_URI_CHARS, RECALL_SUMMARY_CHARS, REPLY_MAX_CHARS

# What a rendering needs of the core is imported when something is rendered: a server lists its tools long before.
if TYPE_CHECKING:
    from remora.core.records.model import Record
    from remora.core.records.search import RecordHit


def enclosed(lines: Sequence[str], *, max_chars: int = REPLY_MAX_CHARS) -> str:
    """Recalled lines with the notice, in an envelope that content cannot close."""
    from remora.core.recall.notice import envelope

    return envelope(lines, max_chars=max_chars)


def for_people(text: str) -> str:
    """The text without the frame that only models need."""
    from remora.core.recall.notice import CLOSE, NOTICE, OPEN

    return "\n".join(line for line in text.splitlines() if line not in (OPEN, CLOSE, NOTICE))


def saved(data: Mapping[str, Any]) -> str:
    """What became of saved triples."""
    rows = data["outcomes"]
    lines = [outcome(row) for row in rows]
    counts = ", ".join(f"{count} {name}" for name, count in data["counts"].items()) or "nothing to save"
    if data.get("dropped"):
        lines.append("dropped: " + ", ".join(f"{count} {reason}" for reason, count in data["dropped"].items()))
    return enclosed([counts, *lines])


def outcome(row: Mapping[str, Any]) -> str:
    """What became of one triple."""
    closed = f", closed {len(row['closed'])} before it" if row.get("closed") else ""
    return f"{row['outcome']}: {row['subject']} {row['predicate']} {row['object']}{closed}  [{row['id']}]"


def hits(data: Mapping[str, Any]) -> str:
    """Ranked hits of a recall: family, text, source, why."""
    if data.get("gated"):
        return f"Nothing recalled: {data['gated']}."
    if not data["hits"]:
        return "\n".join(["Nothing in memory answers this.", *_alone(data)])
    lines: list[str] = []
    for number, hit in enumerate(data["hits"], 1):
        lines.append(f"{number}. [{hit['family']}] {hit['title']}")
        if hit.get("text") and hit["text"] != hit["title"]:
            lines.append(f"   {hit['text']}")
        lines.append(f"   source: {hit.get('source', '')} · why: {hit.get('why', '')} · {hit['id']}")
    return enclosed([*lines, *_more(data), *_alone(data)])


def _alone(data: Mapping[str, Any]) -> list[str]:
    return [f"(by words alone: {data['words_alone']})"] if data.get("words_alone") else []


def record_row(record: Record, redact: Callable[[str], str]) -> dict[str, Any]:
    """A record as answers show it: capped, secrets masked once more, every source named."""
    from remora.core.records.evidence import line_text

    row: dict[str, Any] = {
        "id": record.id,
        "kind": record.kind.value,
        "title": redact(line_text(record.title, EVIDENCE_TITLE_CHARS)),
        "summary": redact(line_text(record.summary, RECALL_SUMMARY_CHARS)),
        "sources": [line_text(source.uri, EVIDENCE_URI_CHARS) for source in record.sources[:5]],
        "occurred_at": shown(record.occurred_at * 1_000_000),
        "lifecycle": record.lifecycle.value,
        "verification": record.verification.status.value,
        "scope": record.access_scope.scope.value,
    }
    if record.commit:
        row["commit"] = record.commit
    symbols = [anchor.node_id for anchor in record.affected_symbols[:8]]
    return row | ({"symbols": symbols} if symbols else {})


def record_hits(
    found: Iterable[RecordHit], total: int, redact: Callable[[str], str], *, truncated: bool
) -> dict[str, Any]:
    """Hits with their reasons, under one budget; whole rows are left out and that is said."""
    from remora.core.recall.notice import NOTICE

    rows: list[dict[str, Any]] = []
    left = REPLY_MAX_CHARS
    for hit in found:
        row = {**record_row(hit.record, redact), "score": hit.score, "matched_by": list(hit.matched_by)}
        row |= {"superseded_by": hit.superseded_by} if hit.superseded_by else {}
        row |= {"subjects": list(hit.subjects)} if hit.subjects else {}
        left -= len(json.dumps(row, ensure_ascii=False))
        if left < 0:
            truncated = True
            break
        rows.append(row)
    return {"records": rows, "total": total, "truncated": truncated, "notice": NOTICE}


def records(data: Mapping[str, Any]) -> str:
    """Records, the source on every row."""
    if not data["records"]:
        return f"No record answers this ({data.get('looked_at', data['total'])} records in all)."
    lines: list[str] = [data["fallback"]] if data.get("fallback") else []
    for row in data["records"]:
        state = "" if row["lifecycle"] == "active" else f" [{row['lifecycle']}]"
        hidden = f" [superseded by {row['superseded_by']}]" if row.get("superseded_by") else ""
        checked = "" if row["verification"] == "unknown" else f", verification {row['verification']}"
        lines.append(f"- {row['kind']}{state}{hidden}: {row['title']} ({row['occurred_at'][:10]}{checked})")
        if row["summary"] and row["summary"] != row["title"]:
            lines.append(f"  {row['summary']}")
        lines.append(f"  source: {', '.join(row['sources'])} · why: {', '.join(row['matched_by'])} · {row['id']}")
    lines += [f"also known as: {step['old']} -> {step['new']}" for step in data.get("followed", ())]
    lines += [f"{link['relation']}: {link['title']} [{link['id']}]" for link in data.get("linked", ())]
    return enclosed([*lines, *_more(data)])


def located(data: Mapping[str, Any]) -> str:
    """Files with what speaks for each."""
    if not data["files"]:
        return f"Nothing speaks for any of {data['total']} files."
    lines: list[str] = []
    for number, file in enumerate(data["files"], 1):
        lines.append(f"{number}. {file['path']}" + (f":{file['line']}" if file["line"] else ""))
        for reason in file["reasons"]:
            source = f" [{reason['source']}]" if reason.get("source") else ""
            lines.append(f"   {reason['leg']}: {reason['detail']}{source}")
    left = data["candidates"] - len(data["files"])
    if left > 0:
        lines.append(f"{left} more files share something with the description")
    return enclosed(lines)


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


def affected(data: Mapping[str, Any], evidence: Sequence[str]) -> str:
    """What reaches a symbol, nearest first, and what is not known."""
    subject = data["subject"]
    head = f"{subject['id']} ({subject['kind']}, lines {subject['line']}-{subject['end_line']})"
    tiers = ", ".join(f"{count} {tier}" for tier, count in data["by_tier"].items())
    lines = [head, f"{data['total']} affected ({tiers or 'none'}), {data['tests']} of them tests"]
    lines += [_relation(row, f"hop {row['hops']}") for row in data["affected"]]
    return enclosed([*lines, *_unknown(data), *_memory(evidence)])


def node(data: Mapping[str, Any], evidence: Sequence[str]) -> str:
    """One symbol and its direct neighbours."""
    subject = data["node"]
    lines = [f"{subject['id']} ({subject['kind']}, lines {subject['line']}-{subject['end_line']})"]
    lines += [text for text in (subject["signature"], subject["doc"]) if text]
    lines += ["used by:", *(_relation(row, "") for row in data["incoming"])] if data["incoming"] else []
    lines += ["uses:", *(_relation(row, "") for row in data["outgoing"])] if data["outgoing"] else []
    return enclosed([*lines, *_unknown(data), *_memory(evidence)])


def graph_status(data: Mapping[str, Any]) -> str:
    """How the code graph stands."""
    lines = [", ".join(f"{count} {name}" for name, count in data["counts"].items())]
    for name, part in data["languages"].items():
        lines.append(f"  {name}: " + ", ".join(f"{value} {key.replace('_', ' ')}" for key, value in part.items()))
    lines += [f"skipped: {count} {reason}" for reason, count in data["skipped"].items()]
    lines += [f"no symbols: {path} ({problem})" for path, problem in data["problems"]]
    lines += [f"warning: {text}" for text in data["warnings"]]
    commit = data["freshness"]["index_commit"] or "no commit"
    return "\n".join([*lines, f"indexed at {commit}, {len(data['freshness']['stale_files'])} files changed since"])


def diagnosis(data: Mapping[str, Any]) -> str:
    """Every part of the health check, one line each."""
    marks = {"ok": "ok  ", "warning": "warn", "failed": "FAIL"}
    lines = [f"remora {data['version']}, Python {data['python']}: {data['health']}"]
    for part in data["parts"]:
        lines.append(f"{marks[part['health']]}  {part['part']}: {part['message']}")
        lines += [f"      {part['advice']}"] if part["advice"] else []
    return "\n".join(lines)


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


def _memory(evidence: Sequence[str]) -> Iterable[str]:
    return ["memory on this:", *evidence] if evidence else []


def _more(data: Mapping[str, Any]) -> Iterable[str]:
    if data.get("next_cursor"):
        yield f"more: cursor {data['next_cursor']}"
    elif data.get("truncated"):
        count = data.get("left_out") or data.get("total") or "more"
        yield f"truncated: {count} in all; narrow the query or raise the limit"
