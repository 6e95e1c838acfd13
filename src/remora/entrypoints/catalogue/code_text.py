"""Answers about code as text: the place on every row, what could not be told, and the memory on the subject first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from remora.entrypoints.render import enclosed

Data = Mapping[str, Any]


def relation(row: Data, place: str = "") -> str:
    """One related symbol with the line where the relation is written."""
    test = " test" if row["test"] else ""
    more = f", {place}" if place else ""
    return f"  {row['kind']} {row['id']} ({row['file']}:{row['line']}, {row['tier']}{test}{more})"


def state(data: Data) -> Iterable[str]:
    """What limits the answer."""
    if data.get("truncated"):
        yield "truncated: raise the budget or narrow the question"
    if data.get("unresolved_calls"):
        yield f"{data['unresolved_calls']} calls could not be told; absence of a caller is not proof"
    stale = data["freshness"]["stale_files"]
    if stale:
        yield f"stale: {len(stale)} files changed since the index; run `remora update`"
    yield f"index: {data['freshness']['index_commit'] or 'no commit'}"


def memory(evidence: Sequence[str]) -> list[str]:
    """The evidence block, when there is any."""
    return ["memory on this:", *evidence] if evidence else []


def relations(data: Data) -> str:
    """Callers, callees or references."""
    tiers = ", ".join(f"{count} {tier}" for tier, count in data["by_tier"].items())
    lines = [f"{data['total']} {data['relation']} of {data['subject']['id']}" + (f" ({tiers})" if tiers else "")]
    lines += [relation(row) for row in data["found"]]
    lines += [f"  could not be told: {call['name']} ({call['file']}:{call['line']})" for call in data["unknown"]]
    return enclosed([*lines, *state(data)])


def path(data: Data) -> str:
    """The chain from one symbol to the other."""
    if not data["direction"]:
        return enclosed([f"no chain between {data['source']} and {data['target']}", *state(data)])
    lines = [f"{len(data['steps'])} steps, {data['direction']}:"]
    for step in data["steps"]:
        place = f"({step['file']}:{step['line']}, {step['tier']})"
        lines.append(f"  {step['source']} {step['kind']} {step['target']} {place}")
    return enclosed([*lines, *state(data)])


def source(data: Data) -> str:
    """Quoted source, or why there is none."""
    node = data["node"]
    lines = [f"{node['id']} ({node['file']}:{node['line']}-{node['end_line']}, {data['state']})"]
    if data["state"] == "verified":
        numbered = enumerate(data["text"].split("\n"), data["first_line"])
        lines += [f"{number:>5} {line}" for number, line in numbered]
    else:
        lines.append(f"the file is {data['state']}; run `remora update`, then ask again")
    return enclosed([*lines, *state(data)])


def text_hits(data: Data) -> str:
    """Lines that hold the text."""
    lines = [f"{data['total']} lines in {data['files']} files"]
    lines += [_hit(hit) for hit in data["hits"]]
    lines += [f"{data['not_searched']} files were not searched"] if data["not_searched"] else []
    return enclosed([*lines, *state(data)])


def _hit(hit: Data) -> str:
    around = f"  [{hit['symbol']}]" if hit["symbol"] else ""
    return f"  {hit['file']}:{hit['line']}: {hit['text']}{around}"


def subgraph(data: Data) -> str:
    """Symbols of a question with their places, and how they hang together."""
    if not data["symbols"]:
        return enclosed(["no symbol shares a word with the question", *state(data)])
    lines = []
    for symbol in data["symbols"]:
        lines.append(f"{symbol['kind']} {symbol['id']} ({symbol['file']}:{symbol['line']}; {symbol['why']})")
        lines += [f"  {text}" for text in (symbol["signature"], symbol["doc"]) if text]
    lines += [f"{edge['source']} {edge['kind']} {edge['target']} ({edge['tier']})" for edge in data["edges"]]
    return enclosed([*lines, *state(data)])


def edit(data: Data, evidence: Sequence[str]) -> str:
    """What an edit breaks, what to look at, and which tests tell; the memory on it first."""
    node, totals = data["node"], data["totals"]
    public = "public: code outside of this repository may use it" if data["public"] else "not public"
    lines = [*memory(evidence), f"{data['kind']} of {node['id']} ({node['file']}:{node['line']}), {public}"]
    for name, title in (("breaks", "breaks"), ("look_at", "look at"), ("tests", "tests to run")):
        lines.append(f"{title}: {totals[name]}")
        lines += [relation(row, f"{row['hops']} hops" if row["hops"] > 1 else "") for row in data[name]]
    return enclosed([*lines, *state(data)])
