"""Questions about the code as it is now: relations, paths, source, text, subgraphs, edits."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from remora.core import policy
from remora.entrypoints import render
from remora.entrypoints.catalogue import code_text
from remora.entrypoints.catalogue.operation import (
    Answer,
    Call,
    Operation,
    Run,
    arguments,
    choice,
    integer,
    rows,
    switch,
    text,
)

SYMBOL = text("Symbol id, qualified or bare name, file, or name@path.", max_chars=1_000)
BUDGET = integer("Characters.", low=policy.ANSWER_MIN_CHARS, high=policy.ANSWER_MAX_CHARS, default=policy.ANSWER_CHARS)
GRAPH = frozenset({"graph"})


def evidence_on(call: Call, data: dict[str, Any], subjects: list[str]) -> list[str]:
    """Mirrors the memory evidence on the subjects into `data`; returns its lines. Nothing while memory is off."""
    if not call.memory:
        return []
    from remora.usecases.evidence import evidence

    found = evidence(call.ports, call.grant, subjects)
    data["memory_evidence"] = found.to_json()
    return [call.ports.redact(line) for line in found.lines()]


def _relations(relation: str) -> Run:
    def run(call: Call, given: Mapping[str, Any]) -> Answer:
        from remora.usecases.find_relations import RelationsRequest, find_relations

        request = RelationsRequest(given["symbol"], relation, given["ambiguous"], given["budget_chars"])
        data = asdict(find_relations(call.ports, call.grant, request))
        return Answer(data, code_text.relations(data))

    return run


def _path(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.shortest_path import PathRequest, shortest_path

    request = PathRequest(given["source"], given["target"], given["ambiguous"])
    data = asdict(shortest_path(call.ports, call.grant, request))
    return Answer(data, code_text.path(data))


def _source(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.get_source import SourceRequest, get_source

    data = asdict(get_source(call.ports, call.grant, SourceRequest(given["symbol"], given["budget_chars"])))
    data["text"] = call.ports.redact(data["text"])
    return Answer(data, code_text.source(data))


def _text(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.search_text import SearchTextRequest, search_text

    request = SearchTextRequest(given["text"], given["path"], given["ignore_case"], given["limit"])
    data = asdict(search_text(call.ports, call.grant, request))
    for hit in data["hits"]:
        hit["text"] = call.ports.redact(hit["text"])
    return Answer(data, code_text.text_hits(data))


def _question(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.query_graph import QuestionRequest, query_graph

    data = asdict(query_graph(call.ports, call.grant, QuestionRequest(given["question"], given["budget_chars"])))
    return Answer(data, code_text.subgraph(data))


def _stats(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.graph_status import graph_status

    data = asdict(graph_status(call.ports, call.grant))
    return Answer(data, render.graph_status(data))


def _edit(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.predict_edit import EditRequest, predict_edit

    answer = predict_edit(call.ports, call.grant, EditRequest(given["symbol"], given["kind"], given["budget_chars"]))
    data = asdict(answer)
    return Answer(data, code_text.edit(data, evidence_on(call, data, [answer.node.id])))


def _question_on(name: str, title: str, description: str, run: Run, http: str, output: str, **given: Any) -> Operation:
    """One read of the graph; every answer carries `truncated` and `freshness`."""
    return Operation(
        name=name, title=title, description=description, profiles=GRAPH, input=arguments(**given),
        output=rows(*output.split(), "truncated", "freshness"), run=run, read_only=True, memory=False,
        http=("GET", http),
    )  # fmt: skip


_GUESSES = switch("Guesses by unique name too.")
_RELATED = "subject relation found total by_tier unresolved_calls unknown"

_make: Callable[..., Operation] = _question_on
OPERATIONS = (
    _make("find_callers", "Callers", "Who calls a symbol, and calls of its name that could not be told.",
          _relations("callers"), "/graph/callers", _RELATED, symbol=SYMBOL, ambiguous=_GUESSES, budget_chars=BUDGET),
    _make("find_callees", "Callees", "What a symbol calls, and its calls that could not be told.",
          _relations("callees"), "/graph/callees", _RELATED, symbol=SYMBOL, ambiguous=_GUESSES, budget_chars=BUDGET),
    _make("find_references", "References", "Everything that calls, imports, extends or names a symbol.",
          _relations("references"), "/graph/references", _RELATED, symbol=SYMBOL, ambiguous=_GUESSES,
          budget_chars=BUDGET),
    _make("graph_stats", "State of the code graph", "Sizes per language, what was skipped and why, warnings.",
          _stats, "/graph/stats", "counts languages skipped problems warnings"),
    _make("shortest_path", "How one symbol reaches another", "The shortest chain of calls, uses and imports.",
          _path, "/graph/path", "source target direction steps unresolved_calls", source=SYMBOL, target=SYMBOL,
          ambiguous=_GUESSES),
    _make("get_source", "Source of a symbol",
          "Its text from disk, quoted only when it is the text that was indexed; else it says stale.",
          _source, "/graph/source", "node state text first_line last_line digest", symbol=SYMBOL, budget_chars=BUDGET),
    _make("search_text", "Search source text", "Lines of source files that hold a literal text, with their symbols.",
          _text, "/graph/text", "hits total files not_searched",
          text=text("Taken as it is, no pattern.", max_chars=policy.SEARCH_TEXT_CHARS_MAX),
          path=text("Only files whose path begins so.", default=""), ignore_case=switch("Ignore the case of ASCII."),
          limit=integer("Hits.", low=1, high=policy.SEARCH_TEXT_HITS_MAX, default=policy.SEARCH_TEXT_HITS)),
    _make("query_graph", "Ask the code graph",
          "Symbols whose names, signatures or docs match a question, with their neighbours and relations.",
          _question, "/graph/question", "symbols edges total",
          question=text("Plain words or names.", max_chars=policy.QUESTION_CHARS_MAX), budget_chars=BUDGET),
    _make("predict_edit", "What an edit breaks",
          "What an edit of a symbol breaks, what to look at, tests to run, whether it is public, and the memory on it.",
          _edit, "/graph/edit", "node kind public breaks look_at tests totals unresolved_calls memory_evidence",
          symbol=SYMBOL, kind=choice("The edit.", "body", "signature", "rename", "delete", "move", default="body"),
          budget_chars=BUDGET),
)  # fmt: skip
