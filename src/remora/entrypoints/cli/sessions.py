"""Commands on sessions: the private memory of chats."""

from typing import Annotated

import typer

from remora.core.encounters.times import shown
from remora.core.sessions import SessionRef
from remora.entrypoints.cli.frame import Frame, command

sessions = typer.Typer(help="Chats with private memory: list, revoke, promote.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the group."""
    app.add_typer(sessions, name="sessions")


def listed(
    frame: Frame,
    everyone: Annotated[bool, typer.Option(help="Of all principals; never what they hold.")] = False,
    closed: Annotated[bool, typer.Option(help="Ended ones too.")] = False,
) -> None:
    """Sessions, newest first."""
    from remora.usecases.list_sessions import ListSessionsRequest, list_sessions

    found = list_sessions(frame.ports(), frame.grant, ListSessionsRequest(everyone=everyone, closed=closed))
    lines = [
        f"{row.id} {row.client} {row.session_id}: {row.state(found.now).value}, until {shown(row.expires)}"
        for row in found.sessions
    ]
    frame.emit(found.to_json(), "\n".join(lines) or "no sessions")


def revoke(frame: Frame, session: Annotated[str, typer.Argument(help="Its id (ses_...) from the list.")]) -> None:
    """Close a session for good and delete its private memory."""
    from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session

    done = revoke_session(frame.ports(), frame.grant, RevokeSessionRequest(id=session))
    later = "; the rest goes with the next sweep" if done.pending else ""
    frame.emit(done.to_json(), f"closed {done.id}, {done.items_deleted} items deleted{later}")


def promote(
    frame: Frame,
    fact: Annotated[list[str], typer.Argument(help="Ids of the session's facts (fct_...).")],
    session: Annotated[str, typer.Option(help="The session's handle; or name it by the next two.")] = "",
    session_id: Annotated[str, typer.Option(help="The runtime's own session id.", envvar="REMORA_SESSION_ID")] = "",
    client: Annotated[str, typer.Option(help="The client it runs in.", envvar="REMORA_CLIENT")] = "",
) -> None:
    """Carry facts of a session into the repository's durable memory."""
    from remora.usecases.promote_facts import PromoteFactsRequest, promote_facts

    ref = SessionRef(handle=session, client=client, session_id=session_id)
    data = promote_facts(frame.ports(), frame.grant, PromoteFactsRequest(session=ref, facts=fact)).to_json()
    rows = data["promoted"] if isinstance(data["promoted"], list) else []
    lines = [f"{row['outcome']}: {row['id']}" for row in rows if isinstance(row, dict)]
    frame.emit(data, "\n".join(lines))


command(sessions, "list")(listed)
command(sessions, "revoke")(revoke)
command(sessions, "promote")(promote)
