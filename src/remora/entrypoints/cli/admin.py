"""Commands that look after a repository's memory: doctor, demo."""

import typer

from remora.entrypoints import render
from remora.entrypoints.cli.frame import Frame, command


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "doctor")(doctor)
    command(app, "demo")(demo)


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
