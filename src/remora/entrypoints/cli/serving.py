"""Commands that serve: MCP over stdio, and the HTTP server."""

from pathlib import Path
from typing import Annotated

import typer

from remora.core.policy import HTTP_PORT
from remora.core.scope import Grant, Right
from remora.entrypoints.cli.frame import grant_of, guarded

mcp = typer.Typer(help="Serve MCP over stdio, or set up agent clients.", invoke_without_command=True)

_Profile = Annotated[list[str] | None, typer.Option(help="Tool profiles; may be given several times.")]
_Memory = Annotated[bool | None, typer.Option("--allow-memory/--no-allow-memory", help="Memory tools.")]
_MemoryWrite = Annotated[bool, typer.Option(help="Offer record_change_outcome.")]
_Principal = Annotated[str | None, typer.Option(help="Serve as this restricted principal.")]
_Repositories = Annotated[list[str] | None, typer.Option(help="Repository identity or *.")]
_Workspaces = Annotated[list[str] | None, typer.Option(help="Workspace or *.")]
_Private = Annotated[bool, typer.Option(help="Private records of others too.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    mcp.callback()(stdio)
    app.add_typer(mcp, name="mcp")
    app.command("serve")(serve)
    app.command("page")(page)


def stdio(
    context: typer.Context,
    profile: _Profile = None,
    repo: Annotated[Path, typer.Option(help="The repository (any folder inside it).", show_default=False)] = Path(),
    allow_memory: _Memory = None,
    allow_memory_write: _MemoryWrite = False,
    memory_principal: _Principal = None,
    memory_repository_claim: _Repositories = None,
    memory_workspace_claim: _Workspaces = None,
    memory_allow_private: _Private = False,
    memory_peer: Annotated[list[Path] | None, typer.Option(help="Read records of this other store too.")] = None,
) -> None:
    """Serve MCP over stdio to one agent, until it closes the stream."""
    if context.invoked_subcommand is not None:
        return

    def run() -> None:
        from remora.entrypoints.mcp.run import Options, run_stdio

        grant = _ceiling(memory_principal, memory_repository_claim, memory_workspace_claim, memory_allow_private)
        peers = tuple(path.absolute() for path in memory_peer or ())
        profiles = tuple(profile or ("core",))
        run_stdio(Options(repo.absolute(), profiles, grant, allow_memory, allow_memory_write, peers))

    guarded(run, json_output=False)


def serve(
    repo: Annotated[list[Path] | None, typer.Option(help="A repository to serve besides those known already.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; others than loopback need keys.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65_535)] = HTTP_PORT,
    allow_host: Annotated[list[str] | None, typer.Option(help="A name under which clients call the server.")] = None,
    profile: _Profile = None,
    allow_memory: _Memory = None,
    allow_memory_write: _MemoryWrite = False,
    read_only: Annotated[bool, typer.Option(help="No key may write, whatever it was granted.")] = False,
    memory_principal: _Principal = None,
    memory_repository_claim: _Repositories = None,
    memory_workspace_claim: _Workspaces = None,
    memory_allow_private: _Private = False,
    store: Annotated[
        str | None,
        typer.Option(help="A server engine, neo4j://host/database; its password comes from the environment."),
    ] = None,
    hosted: Annotated[
        list[str] | None, typer.Option(help="A repository (its remote's address) to keep memory of without its files.")
    ] = None,
    memory_peer: Annotated[list[Path] | None, typer.Option(help="Read records of this other store too.")] = None,
) -> None:
    """Serve the page, the HTTP API, MCP over HTTP and the hooks of agent clients, until told to end."""

    def run() -> None:
        from remora.entrypoints.http.serve import Options
        from remora.entrypoints.http.serve import serve as listen
        from remora.entrypoints.web.routes import Page

        grant = _ceiling(
            memory_principal, memory_repository_claim, memory_workspace_claim, memory_allow_private, read_only=read_only
        )
        roots = [path.absolute() for path in repo or ([Path()] if (Path() / ".remora").is_dir() else [])]
        listen(
            Options(
                roots=roots, host=host, port=port, allow_hosts=tuple(allow_host or ()), grant=grant,
                profiles=tuple(profile or ("core",)), allow_memory=allow_memory, allow_memory_write=allow_memory_write,
                store=store, hosted=tuple(hosted or ()), peers=tuple(path.absolute() for path in memory_peer or ()),
            ),
            Page,
        )  # fmt: skip

    guarded(run, json_output=False)


def page(
    repo: Annotated[Path, typer.Option(help="The repository (any folder inside it).", show_default=False)] = Path(),
) -> None:
    """Print a link that opens the page of the running server, once, within five minutes."""

    def run() -> None:
        from remora.entrypoints.cli.page_link import page_link

        typer.echo(page_link(repo.absolute()))

    guarded(run, json_output=False)


def _ceiling(
    principal: str | None, repositories: list[str] | None, workspaces: list[str] | None, private: bool, *,
    read_only: bool = False,
) -> Grant:  # fmt: skip
    """The grant that the server's options describe: nobody served gets more."""
    if read_only and principal is None:
        return Grant(
            rights=(("*", Right.READ),), workspaces=frozenset({"*"}), allow_private=True,
        )  # fmt: skip
    grant = grant_of(
        {
            "principal": principal,
            "repository_claim": repositories or [],
            "workspace_claim": workspaces or [],
            "allow_private": private,
        }
    )
    return grant if not read_only else _reading(grant)


def _reading(grant: Grant) -> Grant:
    from dataclasses import replace

    return replace(grant, rights=tuple((name, min(right, Right.READ)) for name, right in grant.rights))
