"""Operations on facts and the one recall."""

from collections.abc import Mapping
from typing import Any

from remora.core import policy
from remora.entrypoints import render
from remora.entrypoints.catalogue.operation import (
    Answer,
    Call,
    Operation,
    arguments,
    choice,
    integer,
    many,
    number,
    optional,
    rows,
    switch,
    text,
)

_SESSION = optional(text("Session handle from registration.", max_chars=200))
_SCOPE = choice("Durable or this chat's private memory.", "repository", "session", default="repository")
_TRIPLE = arguments(
    subject=text("Who or what.", max_chars=policy.NAME_INPUT_MAX_CHARS),
    predicate=text("USES, DEPENDS_ON ...; SAME_AS merges names.", max_chars=200),
    object=text("Value or other entity.", max_chars=policy.NAME_INPUT_MAX_CHARS),
    confidence=optional(number("", low=0, high=1)),
    subject_type=optional(text(max_chars=200)),
    object_type=optional(text(max_chars=200)),
    citations=optional(
        many(text(max_chars=policy.CITATION_MAX_CHARS), "Ids of records or facts, code: anchors.", most=20)
    ),
)


def _upsert(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.facts.batch import parse_triple
    from remora.usecases.remember import RememberRequest, remember

    request = RememberRequest(
        triples=[parse_triple(f"triples[{index}]", raw) for index, raw in enumerate(given["triples"])],
        replace=given["replace"],
        memory_scope=given["memory_scope"],
        session=call.session(given),
        idempotency_key=given.get("idempotency_key", ""),
    )
    data = remember(call.ports, call.grant, request).to_json()
    return Answer(data, render.saved(data))


def _search(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.search_nodes import SearchNodesRequest, search_nodes

    request = SearchNodesRequest(
        query=given["query"],
        types=given.get("types", ()),
        limit=given["limit"],
        history=given["history"],
        memory_scope=given["memory_scope"],
        session=call.session(given),
    )
    data = search_nodes(call.ports, call.grant, request).to_json()
    return Answer(data, render.nodes(data))


def _subgraph(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.encounters.times import micros
    from remora.usecases.query_subgraph import QuerySubgraphRequest, query_subgraph

    request = QuerySubgraphRequest(
        entities=given["entities"],
        hops=given["hops"],
        predicates=given.get("predicates", ()),
        limit=given["limit"],
        history=given["history"],
        as_of=micros(given["as_of"], "as_of") if "as_of" in given else None,
        memory_scope=given["memory_scope"],
        session=call.session(given),
    )
    data = query_subgraph(call.ports, call.grant, request).to_json()
    return Answer(data, render.facts(data))


def _recall(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.recall import RecallRequest, recall

    request = RecallRequest(
        query=given["query"],
        memory_scope=given["memory_scope"],
        hops=given["hops"],
        limit=given["limit"],
        history=given["history"],
        session=call.session(given),
        max_chars=given["max_chars"],
        fusion_k=given["fusion_k"],
    )
    data = recall(call.ports, call.grant, request).to_json()
    return Answer(data, render.hits(data))


_UNSHOWN = {"writeOnly": True}
"""What is in these arguments is repeated in no error."""
_TURN = {
    **arguments(
        role={**choice("", "user", "assistant"), **_UNSHOWN},
        content=text("What was said.", max_chars=policy.OFFLOAD_MAX_CHARS, **_UNSHOWN),
    ),
    **_UNSHOWN,
}


def _offload(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.offload_turns import OffloadRequest, offload_turns

    request = OffloadRequest(
        turns=given["turns"],
        session=call.session({**given, "memory_scope": "session"}),
        idempotency_key=given.get("idempotency_key", ""),
    )
    data = offload_turns(call.ports, call.grant, request).to_json()
    return Answer(
        data, f"{data['job']} queued: {data['turns']} turns; facts appear in this chat's recall when it is done"
    )


OPERATIONS = (
    Operation(
        name="recall_context",
        title="Recall",
        description=(
            "What memory holds about a question. memory_scope session: this chat's private facts; repository: durable "
            "facts and records, each with family, source and why it matched. No answer is an answer."
        ),
        profiles=frozenset({"core", "facts"}),
        input=arguments(
            query=text("A question or key words.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            memory_scope=choice("", "session", "repository", default="session"),
            hops=integer("", low=1, high=2, default=1),
            limit=integer("", low=1, high=policy.RECALL_LIMIT_MAX, default=policy.RECALL_LIMIT),
            history=switch("Closed facts too."),
            session=_SESSION,
            max_chars=integer("", low=200, high=policy.RECALL_MAX_CHARS_CAP, default=policy.RECALL_MAX_CHARS),
            fusion_k=integer("", low=1, high=1_000, default=policy.FUSION_K),
        ),
        output=rows("hits", "memory_scope", "notice"),
        run=_recall,
        read_only=True,
        http=("POST", "/recall"),
    ),
    Operation(
        name="upsert_graph_triples",
        title="Save facts",
        description=(
            "Save facts as triples, all or none. repository scope is durable and shared: only when the user asked to "
            "keep it. replace closes other values of (subject, predicate); history stays."
        ),
        profiles=frozenset({"core", "facts"}),
        input=arguments(
            triples=many(_TRIPLE, most=policy.TRIPLES_PER_CALL_MAX, minItems=1),
            replace=switch(""),
            memory_scope=_SCOPE,
            session=_SESSION,
            idempotency_key=optional(text("Same key, same result.", max_chars=policy.IDEMPOTENCY_KEY_MAX_CHARS)),
        ),
        output=rows("outcomes", "counts", "totals"),
        run=_upsert,
        read_only=False,
        idempotent=False,
        http=("POST", "/facts"),
    ),
    Operation(
        name="search_graph_nodes",
        title="Search entities",
        description="Find entities of the fact graph by name, alias or type.",
        profiles=frozenset({"facts"}),
        input=arguments(
            query=text("Words of a name.", max_chars=policy.QUERY_INPUT_MAX_CHARS),
            types=optional(many(text(max_chars=200), "Only these types.", most=20)),
            limit=integer("", low=1, high=policy.RECALL_LIMIT_MAX, default=policy.RECALL_LIMIT),
            memory_scope=_SCOPE,
            history=switch("Count closed facts too."),
            session=_SESSION,
        ),
        output=rows("nodes", "total", "truncated", "notice"),
        run=_search,
        read_only=True,
        http=("GET", "/entities"),
    ),
    Operation(
        name="query_subgraph",
        title="Facts around entities",
        description="Facts around entities (aliases count), one or two hops; optionally as the graph stood at a time.",
        profiles=frozenset({"facts"}),
        input=arguments(
            entities=many(text(max_chars=policy.NAME_INPUT_MAX_CHARS), "Names.", most=policy.SUBGRAPH_ENTITIES_MAX),
            hops=integer("", low=1, high=2, default=1),
            predicates=optional(many(text(max_chars=200), "Only these.", most=50)),
            limit=integer("", low=1, high=policy.SUBGRAPH_LIMIT_MAX, default=policy.SUBGRAPH_LIMIT),
            memory_scope=_SCOPE,
            history=switch("Closed facts too."),
            as_of=optional(text("RFC 3339 time with offset.", max_chars=40)),
            session=_SESSION,
        ),
        output=rows("nodes", "facts", "unknown", "truncated", "notice"),
        run=_subgraph,
        read_only=True,
        http=("GET", "/subgraph"),
    ),
    Operation(
        name="offload_turns",
        title="Offload turns",
        description=(
            "Hand over turns of this chat; facts in them are extracted later, on this machine, into this chat's "
            "private memory. Returns a job id at once."
        ),
        profiles=frozenset({"facts"}),
        input=arguments(
            turns={**many(_TURN, most=policy.OFFLOAD_TURNS_MAX, minItems=1), **_UNSHOWN},
            session=_SESSION,
            idempotency_key=optional(text("Same key, same job.", max_chars=policy.IDEMPOTENCY_KEY_MAX_CHARS)),
        ),
        output=rows("job", "state", "turns", "cut_chars", "extractor", "replayed"),
        run=_offload,
        read_only=False,
        idempotent=False,
        http=("POST", "/memory/offload"),
    ),
)
