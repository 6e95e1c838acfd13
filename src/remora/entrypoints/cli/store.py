"""Commands about the store engine: copying between engines, and the operator's own queries on a server."""

from typing import Annotated

import typer

from remora.core.errors import Denied
from remora.entrypoints.cli.frame import Frame, command, progress

store = typer.Typer(
    help="Engines of the store: copying between them, and queries in a server's own database.", no_args_is_help=True
)

_PLACE = "embedded, a store file, or the address of a server (neo4j://host:7687/database)."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(store, "copy")(copy)
    command(store, "cypher")(cypher)
    app.add_typer(store, name="store")


def copy(
    frame: Frame,
    source: Annotated[str, typer.Option("--from", help=f"Where it is: {_PLACE}")],
    target: Annotated[str, typer.Option("--to", help=f"Where it goes: {_PLACE}")],
) -> None:
    """Copy the repository's store to another engine and compare counts and digests. Nothing is overwritten."""
    from remora.bootstrap.stores import store_at
    from remora.config import load
    from remora.usecases.copy_store import copy_store

    settings, repository = load(), frame.ports().repository
    left = store_at(settings, source, repository)
    right = store_at(settings, target, repository)
    try:
        done = copy_store(left, right, frame.grant, progress("copying"))
    finally:
        left.close()
        right.close()
    text = f"{done.items} items, the same on both sides ({done.already_there} were there); digest {done.digest[:16]}"
    frame.emit(done.to_json(), text)


def cypher(
    frame: Frame,
    query: Annotated[str, typer.Argument(help="A reading statement.")],
    param: Annotated[list[str] | None, typer.Option(help="name=value, JSON or text; may be repeated.")] = None,
) -> None:
    """Run a reading query in the server's own database, over this repository's memory and mirrored code.

    For the operator alone. The mirror of the memory is brought up to date first.
    """
    from dataclasses import replace

    from remora.bootstrap.stores import open_native
    from remora.config import load
    from remora.entrypoints.catalogue.wording import table
    from remora.entrypoints.cli.encounters import parameters
    from remora.usecases.read_cypher import read_cypher

    if not frame.grant.operator:
        raise Denied("only the operator may query the database itself", advice="use `remora encounters query`")
    ports = frame.ports()
    native = open_native(load(), ports.repository)
    found = read_cypher(replace(ports, queries=native), frame.grant, query, parameters(param or [])).to_json()
    frame.emit(found, table(found))
