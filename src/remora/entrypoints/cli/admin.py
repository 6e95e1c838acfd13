"""Commands that look after a repository's memory: doctor, backup, restore, demo."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from remora.core.errors import InvalidInput
from remora.entrypoints import render
from remora.entrypoints.cli.frame import Frame, command, progress


def register(app: typer.Typer) -> None:
    """Add the commands."""
    command(app, "doctor")(doctor)
    command(app, "backup")(backup)
    command(app, "restore")(restore)
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


def backup(frame: Frame, target: Annotated[Path, typer.Argument(help="A new folder.")]) -> None:
    """Copy the store and all records into a folder, and check every byte of the copy."""
    from remora.bootstrap.backups import open_backup
    from remora.config import load
    from remora.usecases.back_up import back_up

    done = back_up(frame.ports(), frame.grant, open_backup(load(), target.absolute()), progress("copying records"))
    lines = [f"{done.items} items and {done.records} records copied to {target} and verified"]
    lines += [f"conflict: {key}" for key in done.conflicts]
    lines += [f"damaged, not copied: {item.unit}: {item.problem}" for item in done.bad]
    frame.emit(asdict(done) | {"path": str(target)}, "\n".join(lines))


def restore(
    frame: Frame,
    source: Annotated[Path, typer.Argument(help="A folder that `remora backup` made.")],
    to_new: Annotated[bool, typer.Option("--to-new", help="Into a repository that has no store yet.")] = False,
) -> None:
    """Bring a backup into a repository that has no store yet; records are merged, nothing is overwritten."""
    from remora.bootstrap.backups import open_backup
    from remora.config import load
    from remora.usecases.restore import restore as bring_back

    if not to_new:
        raise InvalidInput("--to-new", "must be given: a restore never goes over a store that is in use")
    folder = open_backup(load(), source.absolute())
    done = bring_back(frame.ports(), frame.grant, folder, progress("restoring records"))
    lines = [f"{done.items} items, {done.records} records restored, {done.already_present} already present"]
    lines += [f"conflict: {key}" for key in done.conflicts]
    frame.emit(asdict(done), "\n".join(lines))


def demo(frame: Frame) -> None:
    """Run the main job on this repository: index, ingest, remember, recall, with sources and timings."""
    from remora.entrypoints.cli.tour import tour

    tour(frame)
