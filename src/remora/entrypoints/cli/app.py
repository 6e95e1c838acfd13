"""The command line. Each command imports what it runs when it runs, so that help and recall start fast."""

import sys

import typer

from remora import __version__
from remora.core.errors import InvalidInput
from remora.entrypoints.cli import (
    admin,
    directory,
    emphasis,
    encounters,
    facts,
    graph,
    hooks,
    init,
    locate,
    offload,
    record_changes,
    record_exchange,
    records,
    serving,
    sessions,
    setup,
    store,
)
from remora.entrypoints.cli.frame import report

app = typer.Typer(
    name="remora",
    help="Durable, source-grounded memory of a repository for coding agents.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"remora {__version__}")
        raise typer.Exit


@app.callback()
def _root(version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show it.")) -> None:
    pass


for part in (
    init, admin, graph, records, record_changes, record_exchange, locate, facts, encounters, emphasis, sessions,
    offload, directory, serving, setup, hooks, store,
):  # fmt: skip
    part.register(app)


def main() -> None:
    """The console script. With --json a wrong use of the options is told as JSON, too."""
    if "--json" not in sys.argv:
        app()
    try:
        sys.exit(app(standalone_mode=False))
    except (typer.TyperException, typer.Abort) as error:
        told = getattr(error, "format_message", lambda: "aborted")()
        report(InvalidInput("usage", told), json_output=True)
        sys.exit(2)
