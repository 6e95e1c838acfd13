"""Commands on encounters: the session's spine, what was understood, and what it adds up to."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from remora.core import policy
from remora.core.encounters.schema import AUTHORED_TYPES, NODE_TYPES
from remora.core.errors import InvalidInput
from remora.entrypoints.cli.frame import Frame, command

encounters = typer.Typer(
    help="Encounters: open and seal a session, write what was understood, search it.", no_args_is_help=True
)
_Session = Annotated[str, typer.Option(help="The handle from `encounters advance`, or REMORA_SESSION_ID is used.")]
_Limit = Annotated[int, typer.Option(help="How many.")]


def register(app: typer.Typer) -> None:
    """Add the group and the top-level commands."""
    app.add_typer(encounters, name="encounters")
    command(app, "infuse")(infuse)
    app.command("howto")(howto)


def advance(
    frame: Frame,
    name: Annotated[str, typer.Argument(help="What this session is about; unique.")],
    session: _Session = "",
    recent: Annotated[int, typer.Option(help="Recent encounters to show.")] = 5,
    limit: _Limit = 20,
) -> None:
    """Open the session's next encounter and show what was left open."""
    frame.answer("advance_encounter", name=name, recent=recent, limit=limit, session=session or None)


def close(
    frame: Frame,
    summary: Annotated[str, typer.Argument(help="What was done and what came of it.")],
    report: Annotated[str, typer.Option(help="At length.")] = "",
    encounter: Annotated[str, typer.Option(help="Its name; the open one by default.")] = "",
    session: _Session = "",
) -> None:
    """Seal an encounter for good."""
    frame.answer(
        "close_encounter", summary=summary, report=report or None, encounter=encounter or None, session=session or None
    )


def create(
    frame: Frame,
    file: Annotated[Path, typer.Argument(help="JSON: a list of entities, or {entities, relations}; - reads stdin.")],
    session: _Session = "",
) -> None:
    """Write entities and relations from JSON; each list is written whole or not at all."""
    from remora.entrypoints.cli.output import read_limited

    raw = read_limited(file, policy.CLI_BATCH_BYTES_MAX, "file")
    try:
        given = json.loads(raw)
    except ValueError as error:
        raise InvalidInput("file", f"is not JSON: {error}", allowed="a list of entities, or an object") from error
    batch = {"entities": given} if isinstance(given, list) else given
    if not isinstance(batch, dict) or not batch.keys() & {"entities", "relations"}:
        raise InvalidInput(
            "file", "holds neither entities nor relations", allowed="{entities: [...], relations: [...]}"
        )
    done = [
        frame.ask(f"create_{part}", **{part: batch[part]}, session=session or None)
        for part in ("entities", "relations")
        if part in batch
    ]
    data = {key: value for answer in done for key, value in answer.data.items()}
    frame.emit(data, "\n".join(answer.text for answer in done))


def relate(
    frame: Frame,
    source: Annotated[str, typer.Argument(help="Name or Type:name.")],
    type: Annotated[str, typer.Argument(help="SUPPORTS, GROUNDS, ABOUT, ...")],  # noqa: A002  # the relation's own word
    target: Annotated[str, typer.Argument(help="Name or Type:name.")],
    why: Annotated[str, typer.Option(help="For SUPERSEDES and REBINDS.")] = "",
    session: _Session = "",
) -> None:
    """Relate two entities."""
    row: dict[str, Any] = {"source": source, "type": type, "target": target}
    if why:
        row["properties"] = {"revision_why" if type == "SUPERSEDES" else "why": why}
    frame.answer("create_relations", relations=[row], session=session or None)


def delete(
    frame: Frame,
    names: Annotated[list[str], typer.Argument(help="Names or Type:name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete; otherwise only say what would go.")] = False,
) -> None:
    """Delete entities with their relations; a preview without --yes."""
    frame.answer("delete_entities", names=names, dry_run=not yes)


def orient(frame: Frame, limit: _Limit = policy.PANEL_LIMIT) -> None:
    """The instrument panel: what is heavy, what is open, what hangs by a thread, what moved."""
    frame.answer("orient", result_limit=limit)


def search(
    frame: Frame,
    query: Annotated[str, typer.Argument(help="Words.")],
    limit: _Limit = 10,
    type: Annotated[list[str] | None, typer.Option(help=" | ".join(NODE_TYPES))] = None,  # noqa: A002  # as the tool
) -> None:
    """Entities by words of name and description."""
    frame.answer("search", query=query, limit=limit, types=type or None)


def show(frame: Frame, names: Annotated[list[str], typer.Argument(help="Names or Type:name.")]) -> None:
    """Entities by name, with the relations among them."""
    frame.answer("find_by_name", names=names)


def trace(
    frame: Frame,
    name: Annotated[str, typer.Argument(help="Name or Type:name.")],
    depth: Annotated[int, typer.Option(help="Relations down.")] = 3,
) -> None:
    """What an entity stands on, down to citations, or that it stands on nothing."""
    frame.answer("trace_provenance", name=name, depth=depth)


def schema(frame: Frame) -> None:
    """Types, relations and words in use, with counts."""
    frame.answer("get_schema")


def query(
    frame: Frame,
    cypher: Annotated[str, typer.Argument(help="A reading statement.")],
    param: Annotated[list[str] | None, typer.Option(help="name=value, JSON or text; may be repeated.")] = None,
) -> None:
    """Run read-only Cypher over a copy of what you may see."""
    frame.answer("read_cypher", query=cypher, params=parameters(param or ()))


def parameters(texts: Sequence[str]) -> dict[str, Any]:
    """`name=value` options of a query as its parameters."""
    params: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidInput("--param", f"{text[:60]!r} has no value", allowed="name=value")
        params[name] = _value(value)
    return params


def infuse(
    frame: Frame,
    text: Annotated[str, typer.Argument(help="The prompt.")],
    mode: Annotated[str, typer.Option(help="full or delta.")] = "full",
    frontier_bias: Annotated[float, typer.Option(help="0 to 1.")] = policy.FRONTIER_BIAS,
    expansion_bias: Annotated[float, typer.Option(help="0 to 1.")] = policy.EXPANSION_BIAS,
    max_chars: Annotated[int, typer.Option(help="Budget.")] = policy.INFUSE_MAX_CHARS,
    turn: Annotated[list[str] | None, typer.Option(help="An earlier user turn, oldest first; repeat.")] = None,
    session: _Session = "",
    shadow: Annotated[bool, typer.Option(help="Compute only: print nothing, remember nothing as told.")] = False,
    observe_log: Annotated[Path | None, typer.Option(help="Append counts, never content, to this file.")] = None,
) -> None:
    """What bears on a prompt, unasked; nothing is printed when nothing does."""
    from remora.entrypoints.catalogue.analytics import rehearse_infusion

    answer = frame.ask(
        "infuse", instead=rehearse_infusion if shadow else None, text=text, mode=mode,
        frontier_bias=frontier_bias, expansion_bias=expansion_bias,
        max_chars=max_chars, trajectory=turn or None, session=session or None,
    )  # fmt: skip
    if observe_log:
        from remora.entrypoints.cli.output import append_line

        kept = ("mode", "silence", "reason", "turn", "counts", "renewal", "selection_channel", "timings")
        counts = {"shadow": shadow} | {key: answer.data[key] for key in kept}
        append_line(observe_log, json.dumps(counts), "--observe-log")
    if not shadow:
        frame.emit(answer.data, answer.text)


def howto() -> None:
    """The short manual for agents."""
    from remora.entrypoints.catalogue.howto import HOWTO

    typer.echo(HOWTO, nl=False)


def _value(text: str) -> Any:
    """JSON when it is JSON, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _writer(node_type: str) -> Any:
    """One command that writes one entity of a type."""

    def write(
        frame: Frame,
        name: Annotated[str, typer.Argument(help="Its name; (type, name) is one thing.")],
        description: Annotated[str, typer.Argument(help="What it says.")] = "",
        set_: Annotated[list[str] | None, typer.Option("--set", help="property=value; may be repeated.")] = None,
        session: _Session = "",
    ) -> None:
        entity: dict[str, Any] = {"type": node_type, "name": name}
        if description:
            entity["description"] = description
        for text in set_ or ():
            key, equals, value = text.partition("=")
            if not equals:
                raise InvalidInput("--set", f"{text[:60]!r} has no value", allowed="property=value")
            entity[key] = _value(value) if key in ("frontier_mute", "aliases", "confidence", "priority") else value
        if "t_observed" in NODE_TYPES[node_type].properties and "t_observed" not in entity:
            from remora.core.encounters.times import shown

            entity["t_observed"] = shown(frame.ports().clock.now())
        frame.answer("create_entities", entities=[entity], session=session or None)

    write.__doc__ = f"Write one {node_type}: {NODE_TYPES[node_type].meaning}."
    return write


for _run in (advance, close, create, relate, delete, orient, search, show, trace, schema, query):
    command(encounters)(_run)
for _type in AUTHORED_TYPES:
    command(encounters, _type.lower())(_writer(_type))
