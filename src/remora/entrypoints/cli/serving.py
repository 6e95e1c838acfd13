"""Commands that serve: MCP over stdio."""

from pathlib import Path
from typing import Annotated

import typer

from remora.entrypoints.cli.frame import grant_of, guarded


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("mcp")(mcp)


def mcp(
    profile: Annotated[list[str] | None, typer.Option(help="Tool profiles; may be given several times.")] = None,
    repo: Annotated[Path, typer.Option(help="The repository (any folder inside it).", show_default=False)] = Path(),
    allow_memory: Annotated[bool | None, typer.Option("--allow-memory/--no-allow-memory", help="Memory tools.")] = None,
    allow_memory_write: Annotated[bool, typer.Option(help="Offer record_change_outcome.")] = False,
    memory_principal: Annotated[str, typer.Option(help="Serve as this restricted principal.")] = "",
    memory_repository_claim: Annotated[list[str] | None, typer.Option(help="Repository identity or *.")] = None,
    memory_workspace_claim: Annotated[list[str] | None, typer.Option(help="Workspace or *.")] = None,
    memory_allow_private: Annotated[bool, typer.Option(help="Private records of others too.")] = False,
) -> None:
    """Serve MCP over stdio to one agent, until it closes the stream."""

    def serve() -> None:
        from remora.entrypoints.mcp.run import Options, run_stdio

        grant = grant_of(
            {
                "principal": memory_principal,
                "repository_claim": memory_repository_claim or [],
                "workspace_claim": memory_workspace_claim or [],
                "allow_private": memory_allow_private,
            }
        )
        run_stdio(Options(repo.absolute(), tuple(profile or ("core",)), grant, allow_memory, allow_memory_write))

    guarded(serve, json_output=False)
