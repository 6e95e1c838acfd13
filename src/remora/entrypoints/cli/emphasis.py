"""Commands that say where an item stands among what matches: pinned before it, buried behind it."""

from typing import Annotated

import typer

from remora.entrypoints.cli.frame import Frame, command

_Item = Annotated[str, typer.Argument(help="Id of a fact (fct_...), a record (mem_...) or a node (enc_...).")]
_Release = Annotated[bool, typer.Option("--release", help="Take it back.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "pin")(pin)
    command(app, "bury")(bury)


def pin(frame: Frame, item: _Item, release: _Release = False) -> None:
    """Put an item first in every recall of this repository that it matches."""
    _emphasise(frame, item, "" if release else "pin")


def bury(frame: Frame, item: _Item, release: _Release = False) -> None:
    """Put an item last in every recall of this repository that it matches."""
    _emphasise(frame, item, "" if release else "bury")


def _emphasise(frame: Frame, item: str, emphasis: str) -> None:
    from remora.usecases.emphasise_item import EmphasiseRequest, emphasise_item

    frame.require_memory()
    held = emphasise_item(frame.ports(), frame.grant, EmphasiseRequest(item=item, emphasis=emphasis))
    told = {"pin": "pinned", "bury": "buried"}.get(held, "neither pinned nor buried")
    frame.emit({"id": item, "emphasis": held}, f"{item} is {told}")
