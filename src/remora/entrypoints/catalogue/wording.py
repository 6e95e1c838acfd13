"""Answers about encounters as text: one line a thing, inside the data envelope, with names that other tools take."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from remora.core.policy import REPLY_MAX_CHARS
from remora.entrypoints.render import enclosed

_ASIDE = frozenset({"id", "type", "name", "tick", "t_created", "version", "trust", "shortened", "description"})
_SECTIONS = (
    ("recent_encounters", "recent encounters"),
    ("open_questions", "open questions"),
    ("live_hypotheses", "live hypotheses"),
    ("recent_concepts", "recently touched concepts"),
    ("coherence", "relations around them"),
    ("unsealed", "left open elsewhere (a sibling at work and a crash look alike)"),
)


def fitted(data: Mapping[str, Any], *, max_chars: int = REPLY_MAX_CHARS) -> dict[str, Any]:
    """The answer within the budget: the longest lists lose their last entries, which is counted in `left_out`."""
    out = {key: dict(value) if isinstance(value, Mapping) else value for key, value in data.items()}
    places = [(out, key) for key in out] + [
        (part, key) for part in list(out.values()) if isinstance(part, dict) for key in part
    ]
    lists = {(id(place), key): (place, key) for place, key in places if isinstance(place[key], list | tuple)}
    for place, key in lists.values():
        place[key] = list(place[key])
    sizes = {name: _size(place[key]) for name, (place, key) in lists.items()}
    over = _size(out) - max_chars
    left_out = 0
    while over > 0 and (full := [name for name, (place, key) in lists.items() if place[key]]):
        longest = max(full, key=lambda name: sizes[name])
        place, key = lists[longest]
        cut = max(1, len(place[key]) // 8)
        place[key], before = place[key][:-cut], sizes[longest]
        sizes[longest] = _size(place[key])
        over -= before - sizes[longest]
        left_out += cut
    return {**out, "truncated": True, "left_out": left_out} if left_out else out


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def advanced(data: Mapping[str, Any]) -> str:
    """The opened encounter, the handle, and what was left open."""
    encounter = data["encounter"]
    verb = "opened" if data["opened"] else "already open"
    lines = [f"{verb}: Encounter:{encounter['name']} (tick {encounter['tick']}); session: {data['session']}"]
    for key, title in _SECTIONS:
        if data.get(key):
            lines += [f"{title}:", *(f"- {_row(row)}" for row in data[key])]
    return enclosed([*lines, *_cut(data)])


def recent(cards: Sequence[Mapping[str, Any]]) -> str:
    """The newest encounters."""
    if not cards:
        return "No encounter yet; advance_encounter opens one."
    state = {True: "sealed", False: "open"}
    return enclosed([f"- {_row(card)} [{state[bool(card['sealed'])]}]" for card in cards])


def closed(data: Mapping[str, Any]) -> str:
    """The sealed encounter."""
    encounter = data["encounter"]
    return enclosed([f"sealed: Encounter:{encounter['name']} (tick {encounter['tick']})"])


def written(data: Mapping[str, Any]) -> str:
    """What became of each entity or relation of a batch."""
    rows = data.get("entities", data.get("relations", ()))
    head = [f"in Encounter:{data['encounter']} (tick {data['tick']})"] if "encounter" in data else []
    lines = []
    for row in rows:
        dropped = f" (ours to set, dropped: {', '.join(row['dropped'])})" if row.get("dropped") else ""
        lines.append(f"{row['outcome']}: {row['name']}{dropped}  [{row['id']}]")
    return enclosed([*head, *lines, *_cut(data)])


def deleted(data: Mapping[str, Any]) -> str:
    """What went, or would go."""
    verb = "deleted" if data["deleted"] else "would delete (dry_run)"
    names = data.get("entities", data["relations"])
    lines = [f"{verb}: {name}" for name in names]
    if "entities" in data:
        counts = ", ".join(f"{count} {label}" for label, count in data["relations"].items()) or "none"
        lines.append(f"with relations: {counts}{' at least' if data['at_least'] else ''}")
    return enclosed([*lines, *_cut(data)])


def entities(data: Mapping[str, Any]) -> str:
    """Entities found, with the relations among them."""
    lines = [f"- {_row(row)}" for row in data["entities"]]
    lines += [f"- {_row(row)}" for row in data.get("relations", ())]
    if data.get("unknown"):
        lines.append("unknown: " + ", ".join(data["unknown"]))
    return enclosed([*lines, *_cut(data)]) if lines else "No entity matches."


def grounding(data: Mapping[str, Any]) -> str:
    """Every path down, its end, and where the citations lead."""
    lines = [_row(data["entity"]), "grounded" if data["grounded"] else "ungrounded: no path ends at a citation"]
    for path in data["paths"]:
        steps = " ".join(f"<-{step['by']}- {step['node']}" if "by" in step else step["node"] for step in path["steps"])
        lines.append(f"- {steps} [{path['ends']}]")
    lines += ["met on the way:", *(f"- {_row(node)}" for node in data["nodes"])] if data["nodes"] else []
    return enclosed([*lines, *_cut(data)])


def schema(data: Mapping[str, Any]) -> str:
    """Types, relations and words in use, with counts."""
    lines: list[str] = []
    for row in data.get("node_types", ()):
        words = ", ".join([*row["required"], *(f"{name}?" for name in row["optional"])])
        lines.append(f"{row['type']} ({row['count']}): {row['meaning']} — {words}")
    lines += [
        f"{row['type']} ({row['count']}): {', '.join(row['directions'])} — {row['meaning']}"
        for row in data.get("relation_types", ())
    ]
    for name, row in data.get("vocabulary", {}).items():
        words = ", ".join(f"{word['value']} ({word['count']})" for word in row["values"]) or "none yet"
        lines.append(f"{name}: {words}")
    return enclosed([*lines, *_cut(data)])


def panel(data: Mapping[str, Any]) -> str:
    """The instrument panel: a line a reading."""
    lines: list[str] = []
    for name, part in data.items():
        if isinstance(part, Mapping):
            lines.append(f"{name.replace('_', ' ')}:")
            lines += [f"  {key.replace('_', ' ')}: {_brief(value)}" for key, value in part.items()]
    return enclosed([*lines, *_cut(data)])


def projection(data: Mapping[str, Any]) -> str:
    """A projection that was kept or dropped."""
    if "dropped" in data:
        return f"dropped: {data['dropped']}"
    ways = "directed" if data["directed"] else "undirected"
    return enclosed([f"{data['name']}: {data['nodes']} nodes, {data['pairs']} {ways} pairs"])


def reading(data: Mapping[str, Any]) -> str:
    """One metric, best first."""
    head = f"{data['metric']} over {data['projection']} ({data['method']}), {data['total']} in all"
    return enclosed([head, *(f"- {_brief(row)}" for row in data["rows"]), *_cut(data)])


def infusion(data: Mapping[str, Any]) -> str:
    """The payload as it is, or nothing: silence is an answer."""
    return str(data["payload"])


def table(data: Mapping[str, Any]) -> str:
    """Rows of a query, one line each."""
    lines = [" | ".join(data["columns"])] if data["columns"] else []
    lines += [" | ".join(_cell(row[name]) for name in data["columns"]) for row in data["rows"]]
    lines += [f"warning: {text}" for text in data["warnings"]]
    return enclosed([*lines, f"{data['row_count']} rows" + (", cut at a limit" if data["truncated"] else "")])


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _row(row: Mapping[str, Any]) -> str:
    if "source" in row and "target" in row:
        why = row.get("revision_why") or row.get("why")
        return f"{row['source']} -{row['type']}-> {row['target']}" + (f" because {why}" if why else "")
    name = f"{row['type']}:{row['name']}" if "type" in row else f"Encounter:{row['name']}"
    about = row.get("description") or row.get("summary") or ""
    rest = "; ".join(
        f"{key} {_brief(value)}" for key, value in row.items() if key not in _ASIDE | {"summary", "incoming", "sealed"}
    )
    marks = [f"tick {row['tick']}"] if "tick" in row else []
    incoming = [_row(found) for found in row.get("incoming", ())]
    return " — ".join(text for text in (name, about, rest, ", ".join(marks)) if text) + (
        f" (from {'; '.join(incoming)})" if incoming else ""
    )


def _brief(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_brief(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(_brief(inner) for inner in value) or "none"
    return str(value)


def _cut(data: Mapping[str, Any]) -> Iterable[str]:
    if data.get("left_out"):
        yield f"truncated: {data['left_out']} left out; ask for less"
    elif data.get("truncated"):
        yield "truncated: there is more; narrow the question or raise the limit"
