"""Operations that only this door has: sessions, whole lists, single records, forgetting. Rows like the catalogue's."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from remora.core import policy
from remora.core.errors import InvalidInput, NotFound
from remora.core.sessions import SessionRef, session_json
from remora.entrypoints import render
from remora.entrypoints.catalogue.listing import by_name
from remora.entrypoints.catalogue.operation import (
    Answer,
    Call,
    Operation,
    arguments,
    choice,
    integer,
    many,
    optional,
    rows,
    switch,
    text,
)

_SESSION = optional(text("Session handle; the identity headers do as well.", max_chars=200))
_SCOPE = choice("", "repository", "session", default="repository")
_LIMIT = integer("Rows of a page.", low=1, high=policy.LIST_LIMIT_MAX, default=policy.LIST_LIMIT)
_CURSOR = optional(text("`next_cursor` of the page before.", max_chars=300))
_NAME = text(max_chars=policy.NAME_INPUT_MAX_CHARS)
_ID = text("As a list shows it.", max_chars=200)


def _register(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.register_session import RegisterSessionRequest, register_session

    session_id = _agreed("session_id", given.get("session_id", ""), call.identity.session_id)
    client = _agreed("client", given.get("client", ""), call.identity.client)
    request = RegisterSessionRequest(session_id=session_id, client=client)
    return _told(register_session(call.ports, call.grant, request).to_json())


def _agreed(field: str, argument: str, header: str) -> str:
    if argument and header and argument != header:
        raise InvalidInput(field, "differs from the identity header", allowed="one of them, or both alike")
    return argument or header


def _sessions(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.list_sessions import ListSessionsRequest, list_sessions

    found = list_sessions(
        call.ports, call.grant, ListSessionsRequest(everyone=given["everyone"], closed=given["closed"])
    )
    every = list(found.sessions)
    start = _after([session.id for session in every], given.get("cursor", ""))
    page = every[start : start + given["limit"]]
    more = page[-1].id if page and start + len(page) < len(every) else ""
    return _told(
        {
            "sessions": [session_json(session, found.now) for session in page],
            "total": len(every),
            "truncated": bool(more),
            "next_cursor": more,
        }
    )


def _after(ids: list[str], cursor: str) -> int:
    if not cursor:
        return 0
    if cursor not in ids:
        raise InvalidInput("cursor", "is not a cursor of this list", allowed="a former result's next_cursor")
    return ids.index(cursor) + 1


def _session(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.list_sessions import ListSessionsRequest, list_sessions

    found = list_sessions(call.ports, call.grant, ListSessionsRequest(closed=True))
    for session in found.sessions:
        if session.id == given["id"]:
            return _told(session_json(session, found.now))
    raise NotFound("no session has this id", advice="list your sessions")


def _revoke(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session

    return _told(revoke_session(call.ports, call.grant, RevokeSessionRequest(id=given["id"])).to_json())


def _promote(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.promote_facts import PromoteFactsRequest, promote_facts

    request = PromoteFactsRequest(session=_named(call, given), facts=given["facts"])
    return _told(promote_facts(call.ports, call.grant, request).to_json())


def _named(call: Call, given: Mapping[str, Any]) -> SessionRef:
    ref = call.session(given)
    if not ref.given:
        raise InvalidInput("session", "is missing", allowed="a session handle, or both identity headers")
    return ref


def _facts(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.core.encounters.times import micros
    from remora.usecases.list_facts import ListFactsRequest, list_facts

    request = ListFactsRequest(
        entity=given.get("entity", ""),
        predicate=given.get("predicate", ""),
        history=given["history"],
        as_of=micros(given["as_of"], "as_of") if "as_of" in given else None,
        limit=given["limit"],
        cursor=given.get("cursor", ""),
        memory_scope=given["memory_scope"],
        session=call.session(given),
    )
    data = list_facts(call.ports, call.grant, request).to_json()
    return Answer(data, render.facts(data))


def _history(call: Call, given: Mapping[str, Any]) -> Answer:
    return _facts(call, {**given, "history": True})


def _forget(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.forget import ForgetRequest, forget

    request = ForgetRequest(
        facts=given.get("facts", ()),
        triples=[(row["subject"], row["predicate"], row["object"]) for row in given.get("triples", ())],
        entities=given.get("entities", ()),
        dry_run=given["dry_run"],
        memory_scope=given["memory_scope"],
        session=call.session(given),
    )
    return _told(forget(call.ports, call.grant, request).to_json())


def _index(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.index_memory import IndexMemoryRequest, index_memory

    request = IndexMemoryRequest(memory_scope=given["memory_scope"], session=call.session(given), limit=given["limit"])
    return _told(index_memory(call.ports, call.grant, request).to_json())


def _jobs(call: Call, given: Mapping[str, Any]) -> Answer:
    from remora.usecases.list_jobs import ListJobsRequest, list_jobs

    request = ListJobsRequest(limit=given["limit"], cursor=given.get("cursor", ""), everyone=given["everyone"])
    return _told(list_jobs(call.ports, call.grant, request).to_json())


def _told(data: Mapping[str, Any]) -> Answer:
    return Answer(dict(data), "")


def _own(
    name: str, title: str, description: str, http: tuple[str, str], schema: Mapping[str, Any], run: Any, *outputs: str
) -> Operation:
    """A row that no MCP profile lists; GET reads, everything else writes."""
    reads = http[0] == "GET"
    return Operation(
        name=name, title=title, description=description, profiles=frozenset(), input=schema, output=rows(*outputs),
        run=run, read_only=reads, destructive=name in {"forget_facts", "revoke_session"}, http=http,
    )  # fmt: skip


_LISTING = {
    "entity": optional(text("Only facts around this name.", max_chars=policy.NAME_INPUT_MAX_CHARS)),
    "predicate": optional(text("Only this predicate.", max_chars=200)),
    "as_of": optional(text("RFC 3339 time with offset.", max_chars=40)),
    "limit": _LIMIT,
    "cursor": _CURSOR,
    "memory_scope": _SCOPE,
    "session": _SESSION,
}

OPERATIONS: tuple[Operation, ...] = (
    _own(
        "register_session", "Register a session", "Open the private scope of a chat; again is one more handle for it.",
        ("POST", "/sessions"),
        arguments(session_id=optional(text(max_chars=200)), client=optional(text(max_chars=100))),
        _register, "session", "id", "state", "expires_at",
    ),
    _own(
        "list_sessions", "Sessions", "One's own sessions, newest first; everyone's needs the admin right.",
        ("GET", "/sessions"),
        arguments(everyone=switch(""), closed=switch("Ended ones too."), limit=_LIMIT, cursor=_CURSOR),
        _sessions, "sessions", "total", "truncated", "next_cursor",
    ),
    _own(
        "promote_facts", "Promote facts", "Carry facts of one's session into the repository's durable memory.",
        ("POST", "/sessions/promote"),
        arguments(facts=many(_ID, "Ids of facts.", most=policy.FACTS_PER_SESSION, minItems=1), session=_SESSION),
        _promote, "promoted", "totals",
    ),
    _own(
        "show_session", "One session", "A session of one's own.", ("GET", "/sessions/{id}"), arguments(id=_ID),
        _session, "id", "state", "expires_at",
    ),
    _own(
        "revoke_session", "Revoke a session", "Close a session for good and delete its private memory.",
        ("DELETE", "/sessions/{id}"), arguments(id=_ID), _revoke, "id", "already_closed", "items_deleted",
    ),
    _own(
        "list_facts", "Facts", "Facts, newest first, by pages.", ("GET", "/facts"),
        arguments(**_LISTING, history=switch("Closed facts too.")), _facts, "facts", "total", "next_cursor", "notice",
    ),
    _own(
        "fact_history", "History of facts", "Facts with their intervals, closed ones included, newest first.",
        ("GET", "/facts/history"), arguments(**_LISTING), _history, "facts", "total", "next_cursor", "notice",
    ),
    replace(by_name("search_graph_nodes"), name="search_facts", profiles=frozenset(), http=("GET", "/facts/search")),
    _own(
        "forget_facts", "Forget", "Remove facts, or entities with all their facts, for good; only ids are kept.",
        ("POST", "/facts/forget"),
        arguments(
            facts=optional(many(_ID, "Ids of facts.", most=policy.LIST_LIMIT_MAX)),
            triples=optional(many(arguments(subject=_NAME, predicate=text(max_chars=200), object=_NAME), most=200)),
            entities=optional(many(_NAME, "Names of entities.", most=policy.SUBGRAPH_ENTITIES_MAX)),
            dry_run=switch("Only say what would go."),
            memory_scope=_SCOPE,
            session=_SESSION,
        ),
        _forget, "facts_forgotten", "entities_forgotten", "facts", "entities", "note",
    ),
    _own(
        "list_jobs", "Jobs", "The last jobs of one's offloaded turns: counts, times and states, never content.",
        ("GET", "/memory/jobs"),
        arguments(everyone=switch("Everyone's; needs the admin right."), limit=_LIMIT, cursor=_CURSOR),
        _jobs, "jobs", "total", "truncated", "next_cursor",
    ),
    _own(
        "index_memory", "Index memory", "Give vectors to what has none yet, so that recall finds it by meaning too.",
        ("POST", "/memory/index"),
        arguments(
            memory_scope=_SCOPE,
            limit=integer("Items of this call.", low=1, high=policy.INDEX_CALL_MAX, default=policy.INDEX_CALL_ITEMS),
            session=_SESSION,
        ),
        _index, "model", "embedded", "refused", "missing",
    ),
)  # fmt: skip
