"""Commands on facts, and the one recall."""

from typing import Annotated

import typer

from remora.core import policy
from remora.core.errors import InvalidInput
from remora.entrypoints import render
from remora.entrypoints.cli.frame import Frame, Peers, command

facts = typer.Typer(help="Facts: search, list, look at history, forget.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the top-level commands."""
    command(app, "remember")(remember)
    command(app, "recall")(recall)
    app.add_typer(facts, name="facts")


def remember(
    frame: Frame,
    subject: Annotated[str, typer.Argument(help="Who or what.")],
    predicate: Annotated[str, typer.Argument(help="USES, DEPENDS_ON, ...; SAME_AS merges two names.")],
    object: Annotated[str, typer.Argument(help="A value or another entity.")],  # noqa: A002  # a triple's third word
    replace: Annotated[bool, typer.Option(help="Close other values of (subject, predicate).")] = False,
    confidence: Annotated[float, typer.Option(help="0 to 1.")] = 1.0,
    cite: Annotated[list[str] | None, typer.Option(help="Record id, fact id or code: anchor.")] = None,
    idempotency_key: Annotated[str, typer.Option(help="Same key, same result.")] = "",
) -> None:
    """Save one durable fact about this repository."""
    triple = {"subject": subject, "predicate": predicate, "object": object, "confidence": confidence}
    if cite:
        triple["citations"] = cite
    frame.answer("upsert_graph_triples", triples=[triple], replace=replace, idempotency_key=idempotency_key or None)


def recall(
    frame: Frame,
    query: Annotated[str, typer.Argument(help="A question or key words.")],
    limit: Annotated[int, typer.Option(help="How many hits.")] = policy.RECALL_LIMIT,
    hops: Annotated[int, typer.Option(help="1 or 2.")] = 1,
    history: Annotated[bool, typer.Option(help="Closed facts too.")] = False,
    max_chars: Annotated[int, typer.Option(help="Budget of the answer.")] = policy.RECALL_MAX_CHARS,
    fusion_k: Annotated[int, typer.Option(help="Constant of the rank fusion.")] = policy.FUSION_K,
    session: Annotated[str, typer.Option(help="A session handle: answer from that chat's memory only.")] = "",
    peer: Peers = None,
) -> None:
    """What memory holds about a question: facts and records in one ranked answer."""
    frame.peers = tuple(peer or ())
    frame.answer(
        "recall_context", query=query, memory_scope="session" if session else "repository", hops=hops, limit=limit,
        history=history, session=session or None, max_chars=max_chars, fusion_k=fusion_k,
    )  # fmt: skip


def search(frame: Frame, query: str, limit: int = policy.RECALL_LIMIT) -> None:
    """Entities by name, alias or type."""
    frame.answer("search_graph_nodes", query=query, limit=limit)


def list_all(
    frame: Frame,
    entity: Annotated[str, typer.Option(help="Only facts around this name.")] = "",
    predicate: Annotated[str, typer.Option(help="Only this predicate.")] = "",
    limit: Annotated[int, typer.Option(help="Rows of a page.")] = policy.LIST_LIMIT,
    cursor: Annotated[str, typer.Option(help="Where the last page ended.")] = "",
    history: Annotated[bool, typer.Option(help="Closed facts too.")] = False,
    session: Annotated[str, typer.Option(help="A session handle: that chat's private facts.")] = "",
) -> None:
    """Facts, newest first, by pages."""
    from remora.core.sessions import SessionRef
    from remora.usecases.list_facts import ListFactsRequest, list_facts

    frame.require_memory()
    request = ListFactsRequest(
        entity=entity, predicate=predicate, limit=limit, cursor=cursor, history=history,
        memory_scope="session" if session else "repository", session=SessionRef(handle=session),
    )  # fmt: skip
    data = list_facts(frame.ports(), frame.grant, request).to_json()
    frame.emit(data, render.facts(data))


def history(frame: Frame, entity: str, as_of: Annotated[str, typer.Option(help="RFC 3339 with offset.")] = "") -> None:
    """Everything ever known about an entity, or what was known at a time."""
    frame.answer("query_subgraph", entities=[entity], history=not as_of, as_of=as_of or None)


def forget(
    frame: Frame,
    what: Annotated[list[str], typer.Argument(help="Ids of facts (fct_...) or names of entities.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option(help="Only say what would go.")] = False,
) -> None:
    """Remove facts, or entities with all their facts, for good; only ids are kept."""
    from remora.core.facts.layout import FACT_PREFIX
    from remora.usecases.forget import ForgetRequest
    from remora.usecases.forget import forget as remove

    frame.require_memory()
    if not (yes or dry_run or frame.json_output) and not typer.confirm(f"Forget {', '.join(what)} for good?"):
        raise InvalidInput("forget", "was not confirmed", allowed="--yes to skip the question")
    ids = [word for word in what if word.startswith(FACT_PREFIX)]
    request = ForgetRequest(facts=ids, entities=[word for word in what if word not in ids], dry_run=dry_run)
    data = remove(frame.ports(), frame.grant, request).to_json()
    would = "would forget" if dry_run else "forgot"
    frame.emit(data, f"{would} {data['facts_forgotten']} facts, {data['entities_forgotten']} entities\n{data['note']}")


command(facts, "search")(search)
command(facts, "list")(list_all)
command(facts, "history")(history)
command(facts, "forget")(forget)
