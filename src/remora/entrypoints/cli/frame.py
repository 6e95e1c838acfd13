"""What every command shares: the repository and principal options, opening the ports, output in two forms, errors."""

import inspect
import json
import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remora.core.errors import Denied, InvalidInput, RemoraError, unusable
from remora.core.scope import Channel, Grant, Right, operator_grant, restricted_grant
from remora.core.sessions import SessionRef

if TYPE_CHECKING:
    from remora.entrypoints.catalogue.operation import Answer, Run
    from remora.ports import Ports

Progress = Callable[[str, int, int], None]
"""(what is being done, how much is done, how much there is; 0 when unknown)."""

_log = logging.getLogger("remora.cli")
_EXIT_FAILED, _EXIT_USAGE, _EXIT_INTERRUPTED = 1, 2, 130


Peers = Annotated[list[Path] | None, typer.Option("--peer", help="Read this other store too; may be repeated.")]
"""The option of commands that read several stores as one."""


@dataclass(slots=True)
class Frame:
    """One run of one command: its options and the ports, which open on first use."""

    root: Path
    json_output: bool
    grant: Grant
    peers: tuple[Path, ...] = ()
    _ports: "Ports | None" = field(default=None)

    def ports(self) -> "Ports":
        """The ports of the repository that the command stands in."""
        if self._ports is None:
            from remora.bootstrap import open_ports, with_peers
            from remora.config import load

            ports = open_ports(load(), self.root)
            self._ports = with_peers(ports, self.peers) if self.peers else ports
        return self._ports

    def require_memory(self) -> None:
        """Raise `Denied` while memory is switched off."""
        from remora.config import load

        if not load().allow_memory:
            raise Denied("memory is switched off", advice="unset REMORA_ALLOW_MEMORY to use it")

    def with_withheld(self, data: dict[str, Any]) -> dict[str, Any]:
        """The answer with what no store could serve, when several were read; people are told on stderr."""
        if not self.peers:
            return data
        with self.ports().record_index.view(self.grant) as view:
            bad = [{"id": item.record_id, "where": item.unit, "problem": item.problem} for item in view.state.bad]
        if not self.json_output:
            for item in bad:
                typer.echo(f"withheld: {item['id'] or 'unknown'}: {item['problem']} [{item['where']}]", err=True)
        return data | {"withheld": bad}

    def answer(self, operation: str, **given: Any) -> None:
        """Run one operation of the catalogue, as the other doors do, and print its answer. None means not given."""
        answer = self.ask(operation, **given)
        self.emit(self.with_withheld(answer.data), answer.text)

    def ask(self, operation: str, *, instead: "Run | None" = None, **given: Any) -> "Answer":
        """The answer of one operation, not yet printed. `instead` runs in its place, on the same checked arguments."""
        from remora.config import load
        from remora.core.schema import checked
        from remora.entrypoints.catalogue.listing import by_name
        from remora.entrypoints.catalogue.operation import Call

        chosen = by_name(operation)
        allowed = load().allow_memory
        if chosen.memory and not allowed:
            raise Denied("memory is switched off", advice="unset REMORA_ALLOW_MEMORY to use it")
        arguments = checked(chosen.input, {key: value for key, value in given.items() if value is not None})
        run = instead or chosen.run
        return run(Call(self.ports(), self.grant, self.own_session, memory=allowed), arguments)

    def own_session(self) -> SessionRef:
        """The chat that the environment names, registered; none when it names none."""
        from remora.config import load

        settings = load()
        if not settings.session_id:
            return SessionRef()
        from remora.usecases.register_session import RegisterSessionRequest, register_session

        client = settings.client or "remora-cli"
        register_session(
            self.ports(), self.grant, RegisterSessionRequest(session_id=settings.session_id, client=client)
        )
        return SessionRef(client=client, session_id=settings.session_id)

    def emit(self, data: Any, text: str) -> None:
        """Print the machine form with `--json`, else the readable one: plain on a terminal, framed for a model."""
        if self.json_output:
            typer.echo(_json(data))
            return
        if not text:
            return  # silence is an answer
        from remora.entrypoints.render import for_people

        typer.echo(for_people(text) if sys.stdout.isatty() else text.rstrip("\n"))


_COMMON: dict[str, Any] = {
    "repo": Annotated[Path, typer.Option("--repo", help="The repository (any folder inside it).", show_default=False)],
    "json_output": Annotated[bool, typer.Option("--json", help="Print JSON for machines.")],
    "principal": Annotated[str | None, typer.Option(help="Act as this restricted principal, not as the operator.")],
    "repository_claim": Annotated[list[str], typer.Option(help="Repository identity (or *) the principal may use.")],
    "workspace_claim": Annotated[list[str], typer.Option(help="Workspace (or *) the principal may see.")],
    "allow_private": Annotated[bool, typer.Option(help="Let the principal see private records of others.")],
}
_DEFAULTS: dict[str, Any] = {
    "repo": Path(), "json_output": False, "principal": None, "repository_claim": [], "workspace_claim": [],
    "allow_private": False,
}  # fmt: skip


def command(app: typer.Typer, name: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Register `run(frame, ...)` as a command that also takes the shared options and reports errors in one way."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(run)
        def wrapper(**values: Any) -> None:
            common = {key: values.pop(key) for key in _COMMON}
            frame = Frame(common["repo"].absolute(), common["json_output"], grant_of(common))
            guarded(lambda: run(frame, **_typed(values)), frame.json_output)

        signature = inspect.signature(run, eval_str=True)
        own = list(signature.parameters.values())[1:]
        shared = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=_DEFAULTS[key], annotation=hint)
            for key, hint in _COMMON.items()
        ]
        keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        wrapper.__signature__ = inspect.Signature([*keyword, *shared])  # type: ignore[attr-defined]  # read by typer
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in [*keyword, *shared]}
        app.command(name, **options)(wrapper)
        return run

    return register


def _typed(value: Any) -> Any:
    """What was typed, cleaned as at the other doors; bytes that are no UTF-8 become U+FFFD. Paths stay as they are."""
    from remora.core.text.names import clean

    if isinstance(value, str):
        return clean(value if value.isascii() else os.fsencode(value).decode("utf-8", "replace"))
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    return [_typed(item) for item in value] if isinstance(value, list) else value


def grant_of(common: dict[str, Any]) -> Grant:
    """The grant that the principal options describe; without any, the local operator.

    An empty name is refused: it is an unset variable of a script, which must not make anyone the operator.
    """
    claims, workspaces = common["repository_claim"], common["workspace_claim"]
    if common["principal"] is not None and not common["principal"].strip():
        raise typer.BadParameter("the principal has no name")
    if common["principal"] is None:
        if claims or workspaces or common["allow_private"]:
            raise typer.BadParameter("claims and --allow-private need --principal")
        return operator_grant(Channel.CLI, "remora-cli")
    return restricted_grant(
        common["principal"],
        repository_claims=claims,
        workspace_claims=workspaces,
        allow_private=common["allow_private"],
        right=Right.WRITE,
    ).via(Channel.CLI, "remora-cli")


def guarded(run: Callable[[], Any], json_output: bool) -> None:
    """Run a command body; every expected failure becomes one readable line and an exit code, never a traceback."""
    try:
        run()
    except RemoraError as error:
        if isinstance(error.__cause__, OSError):
            _details()
        report(error, json_output)
        raise typer.Exit(_EXIT_USAGE if isinstance(error, InvalidInput) else _EXIT_FAILED) from error
    except KeyboardInterrupt:
        raise typer.Exit(_EXIT_INTERRUPTED) from None
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; there is nobody to tell
        raise typer.Exit(0) from None
    except (typer.Exit, typer.Abort, typer.BadParameter):
        raise
    except OSError as error:
        _details()
        if error.filename is None:  # the output itself: what is left of it must not fail again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        report(unusable(error), json_output)
        raise typer.Exit(_EXIT_FAILED) from error
    except Exception as error:
        _details()
        report(
            RemoraError(
                f"internal error: {type(error).__name__}: {error}",
                advice="this is a fault of Remora; run again with REMORA_LOG_LEVEL=DEBUG for the details to report",
            ),
            json_output,
        )
        raise typer.Exit(_EXIT_FAILED) from error


def report(error: RemoraError, json_output: bool) -> None:
    """Print an error: a JSON document on stdout for machines, a sentence on stderr for people."""
    if json_output:
        typer.echo(_json({"error": {"code": error.code, "message": str(error), "advice": error.advice}}))
    else:
        from remora.core.recall.notice import contained

        advice = f"\n  {contained(error.advice)}" if error.advice else ""
        typer.echo(f"remora: {contained(str(error))}{advice}", err=True)


def _json(data: Any) -> str:
    """One line of JSON; what UTF-8 cannot hold is escaped."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()


def _details() -> None:
    """The traceback of the error at hand, in the log and only for who asked for such detail."""
    from remora.config import load
    from remora.entrypoints.logs import set_logs

    with suppress(RemoraError):
        set_logs(load())
        _log.debug("command failed", exc_info=True)


def staged_progress() -> Progress:
    """Like `progress`, for work that names its own stages."""
    bars: dict[str, Callable[[int, int], None]] = {}

    def update(stage: str, done: int, total: int) -> None:
        if stage not in bars:
            bars[stage] = progress(stage)
        bars[stage](done, total)

    return update


def progress(label: str) -> Callable[[int, int], None]:
    """A progress bar on stderr when that is a terminal; otherwise nothing."""
    if not sys.stderr.isatty():
        return lambda done, total: None
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), transient=True,
    )  # fmt: skip
    task = bar.add_task(label, total=None)
    bar.start()

    def update(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total or None)
        if total and done >= total:
            bar.stop()

    return update
