"""Commands about the store engine: copying between engines, and the operator's own queries on a server."""

from typing import Annotated

import typer

from remora.entrypoints.cli.frame import Frame, command, progress

store = typer.Typer(help="Move a repository between engines.", no_args_is_help=True)

_PLACE = "embedded, a store file, or the address of a server (neo4j://host:7687/database)."


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(store, "copy")(copy)
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
