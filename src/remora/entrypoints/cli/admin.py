"""Commands that care for a repository's memory: init, doctor, demo."""

from typing import Annotated

import typer

from remora.entrypoints import render
from remora.entrypoints.cli.frame import Frame, command


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "init")(init)
    command(app, "doctor")(doctor)
    command(app, "demo")(demo)


def init(
    frame: Frame,
    share_records: Annotated[bool, typer.Option(help="Add a folder that git tracks, for authored records.")] = False,
) -> None:
    """Make this repository ready for Remora. Safe to repeat."""
    from remora.usecases.init_repository import init_repository

    done = init_repository(frame.ports(), frame.grant, share_records=share_records)
    lines = [f"ready: {done.identity} ({done.id})", f"records: {done.home}", f"store: {done.store}"]
    lines.append("next: remora index; remora records ingest --all; remora recall ...")
    frame.emit(done.to_json(), "\n".join(lines))


def doctor(frame: Frame) -> None:
    """How every part stands, what was skipped, and what to do about what is wrong."""
    import sys

    from remora import __version__
    from remora.usecases.diagnose import diagnose

    diagnosis = diagnose(frame.ports(), frame.grant)
    data = {"version": __version__, "python": sys.version.split()[0], **diagnosis.to_json()}
    frame.emit(data, render.diagnosis(data))
    if diagnosis.failed:
        raise typer.Exit(1)


def demo(frame: Frame) -> None:
    """Run the main job on this repository: index, ingest, remember, recall, with sources and timings."""
    from remora.entrypoints.cli.tour import tour

    tour(frame)
