"""Commands that carry records from store to store: bundles, other stores, servers; they join the group of `records`."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from remora.core import policy
from remora.core.errors import RemoraError
from remora.entrypoints.cli.frame import Frame, command, progress
from remora.entrypoints.cli.output import read_limited, write_whole
from remora.entrypoints.cli.records import records

if TYPE_CHECKING:
    from remora.ports import RecordServer
    from remora.usecases.import_records import Imported

_Server = Annotated[str, typer.Option(help="Its address: https://host, or http://127.0.0.1:port on this machine.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the group of records."""
    for name, run in (
        ("export", export), ("import", import_records), ("sync", sync), ("push", push), ("pull", pull),
    ):  # fmt: skip
        command(records, name)(run)


# --- Files ------------------------------------------------------------------------------------------------------------


def export(
    frame: Frame,
    output: Annotated[Path, typer.Option(help="File to write; `-` is standard output.")],
    legacy: Annotated[bool, typer.Option(help="In the public layout, without checksums of single records.")] = False,
) -> None:
    """Write every record that the caller may see as one checksummed bundle."""
    from remora.usecases.export_records import export_records

    frame.require_memory()
    data = export_records(frame.ports(), frame.grant, legacy=legacy)
    if str(output) == "-":
        sys.stdout.buffer.write(data)
        return
    write_whole(output, data, "--output")
    frame.emit({"path": str(output), "bytes": len(data)}, f"written to {output} ({len(data)} bytes)")


def import_records(
    frame: Frame,
    path: Annotated[Path, typer.Argument(help="A bundle (`-`: standard input), or another store's folder.")],
) -> None:
    """Take in the records of a bundle or of another store, also one of the first generation. Safe to repeat."""
    from remora.usecases.import_records import import_bundle, import_store

    frame.require_memory()
    ports, told = frame.ports(), progress("importing")
    if path.is_dir():
        from remora.bootstrap import open_peer_log

        done = import_store(ports, frame.grant, open_peer_log(path), told)
    else:
        data = read_limited(path, policy.BUNDLE_FILE_MAX_BYTES, "path")
        done = import_bundle(ports, frame.grant, data, told)
    frame.emit(asdict(done), "\n".join(_imported(done)))
    if done.bad and not done.recorded + done.already_present:
        raise typer.Exit(1)


def sync(
    frame: Frame,
    bundle: Annotated[Path, typer.Option(help="The bundle file to exchange with; made when it does not exist.")],
) -> None:
    """Take in what a bundle has, and give it what it lacks of what the caller may see."""
    from remora.usecases.import_records import sync_bundle

    frame.require_memory()
    data = read_limited(bundle, policy.BUNDLE_FILE_MAX_BYTES, "--bundle") if bundle.exists() else None
    done = sync_bundle(frame.ports(), frame.grant, data, progress("exchanging"))
    if done.data is not None:
        write_whole(bundle, done.data, "--bundle")
    lines = [*_imported(done.imported), f"given to the bundle: {done.added}"]
    lines += ["the bundle was not written: records in it cannot be read"] if done.imported.bad else []
    frame.emit({"imported": asdict(done.imported), "added": done.added, "written": done.data is not None},
               "\n".join(lines))  # fmt: skip
    if done.imported.bad:
        raise typer.Exit(1)


def _imported(done: "Imported") -> list[str]:
    lines = [f"{done.recorded} recorded, {done.already_present} already present, {done.denied} not yours to write"]
    lines += [f"conflict: {key}" for key in done.conflicts]
    return lines + [f"bad: {item.unit}: {item.problem}" for item in done.bad]


# --- Servers ----------------------------------------------------------------------------------------------------------


def push(frame: Frame, server: _Server) -> None:
    """Bring a server what it lacks of the records that the caller may see; the key is taken from REMORA_API_TOKEN."""
    from remora.usecases.push_records import push_records

    frame.require_memory()
    done = push_records(frame.ports(), frame.grant, _server(frame, server), progress("sending"))
    lines = [f"{done.recorded} recorded there, {done.already_present} were there, {done.denied} refused"]
    lines += [f"conflict: {key}" for key in done.conflicts] + [f"bad: {item}" for item in done.bad]
    frame.emit(asdict(done), "\n".join(lines))


def pull(frame: Frame, server: _Server) -> None:
    """Take in what a server shows the caller and this store lacks; the key is taken from REMORA_API_TOKEN."""
    from remora.usecases.import_records import import_from_server

    frame.require_memory()
    done = import_from_server(frame.ports(), frame.grant, _server(frame, server), progress("taking in"))
    frame.emit(asdict(done), "\n".join(_imported(done)))


def _server(frame: Frame, url: str) -> "RecordServer":
    from remora.bootstrap import open_record_server
    from remora.config import load

    return open_record_server(frame.ports(), url, load().api_token or _own_token(frame, url))


def _own_token(frame: Frame, url: str) -> str:
    """The token of the server of this repository's own, when that is the one that is meant; "" otherwise."""
    from remora.entrypoints.cli.page_link import running_server

    try:
        parts = urlsplit(url)
        meant = (parts.hostname, parts.port)
        port, token = running_server(frame.root)
    except (RemoraError, ValueError):
        return ""
    return token if meant in (("127.0.0.1", port), ("localhost", port)) else ""
