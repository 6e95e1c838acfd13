"""Commands on who may use a server: organisations with members, repository grants, personal keys."""

import time
from typing import Annotated, Any

import typer

from remora.core.encounters.times import shown
from remora.entrypoints.cli.frame import Frame, command

org = typer.Typer(help="Organisations, members and what they may do.", no_args_is_help=True)
keys = typer.Typer(help="Personal keys of members.", no_args_is_help=True)

_Member = Annotated[str, typer.Argument(help="ORGANISATION/MEMBER.")]


def register(app: typer.Typer) -> None:
    """Add the groups."""
    app.add_typer(org, name="org")
    app.add_typer(keys, name="keys")


def _desk() -> Any:
    from remora.bootstrap import open_directory
    from remora.config import load

    return open_directory(load())


def add(frame: Frame, member: _Member) -> None:
    """Add a member; the organisation is made when it is new."""
    from remora.usecases.admit_member import admit_member

    row = admit_member(_desk(), frame.grant, member)
    frame.emit({"principal": row.principal, "id": row.id}, f"added {row.principal}")


def remove(frame: Frame, member: _Member) -> None:
    """Take a member out; all its keys close at once."""
    from remora.usecases.remove_member import remove_member

    count = remove_member(_desk(), frame.grant, member)
    frame.emit({"principal": member, "keys_revoked": count}, f"removed {member}, {count} keys revoked")


def grant(
    frame: Frame,
    subject: Annotated[str, typer.Argument(help="ORGANISATION or ORGANISATION/MEMBER.")],
    right: Annotated[str, typer.Argument(help="read, write, admin, or none to take it back.")],
    repository: Annotated[str, typer.Option(help="Repository id or *; this repository when left out.")] = "",
) -> None:
    """Give a right on a repository to a member or to a whole organisation."""
    from remora.usecases.grant_repository import grant_repository
    from remora.usecases.know_repository import know_repository

    desk = _desk()
    chosen = repository or know_repository(desk, frame.grant, frame.ports().checkout).id
    row = grant_repository(desk, frame.grant, chosen, subject, right)
    data = {"repository": row.repository, "subject": subject, "right": row.right.name.lower()}
    frame.emit(data, f"{subject}: {data['right']} on {row.repository}")


def show(frame: Frame) -> None:
    """Organisations, members, repositories and grants."""
    from remora.core.directory.values import require_operator

    require_operator(frame.grant)
    known = _desk().directory.listing()
    names = {row.id: row.name for row in known.organisations} | {row.id: row.principal for row in known.members}
    members = [row for row in known.members if not row.removed]
    data = {
        "organisations": [row.name for row in known.organisations],
        "members": [row.principal for row in members],
        "repositories": [{"id": row.id, "identity": row.identity, "root": row.root} for row in known.repositories],
        "grants": [
            {"repository": row.repository, "subject": names.get(row.subject, ""), "right": row.right.name.lower()}
            for row in known.grants
        ],
    }  # fmt: skip
    lines = [f"organisation {name}" for name in data["organisations"]]
    lines += [f"member {name}" for name in data["members"]]
    lines += [f"repository {row.id} {row.identity} in {row.root}" for row in known.repositories]
    lines += [f"grant {row['right']} on {row['repository']} to {row['subject']}" for row in data["grants"]]
    frame.emit(data, "\n".join(lines) or "nobody yet: remora org add ORGANISATION/MEMBER")


def create(
    frame: Frame,
    member: _Member,
    name: Annotated[str, typer.Option(help="What the key is for.")],
    right: Annotated[str, typer.Option(help="Cap: read, write or admin.")] = "write",
    repository: Annotated[list[str] | None, typer.Option(help="Only these repository ids.")] = None,
    days: Annotated[int, typer.Option(help="Days until it expires; 0 is never.")] = 0,
) -> None:
    """Issue a key and print it, once: only a keyed hash is kept."""
    from remora.usecases.issue_key import KeyRequest, issue_key

    request = KeyRequest(member=member, name=name, right=right, repositories=repository or (), days=days)
    issued = issue_key(_desk(), frame.grant, request)
    data = {"key": issued.text, "id": issued.key.id, "expires": _time(issued.key.expires)}
    note = "Keep it now, for example in REMORA_API_TOKEN; it cannot be shown again."
    frame.emit(data, f"{issued.text}\n{issued.key.id}: {note}")


def listed(frame: Frame, all_keys: Annotated[bool, typer.Option("--all", help="Closed ones too.")] = False) -> None:
    """Keys with their last use; never their text."""
    from remora.core.directory.values import require_operator

    require_operator(frame.grant)
    known = _desk().directory.listing()
    names = {row.id: row.principal for row in known.members}
    now = time.time_ns() // 1_000
    rows = [
        {
            "id": key.id, "member": names.get(key.member, ""), "name": key.name, "right": key.right.name.lower(),
            "state": "open" if key.valid(now) else "revoked" if key.revoked else "expired",
            "last_used": _time(key.last_used), "expires": _time(key.expires), "repositories": list(key.repositories),
        }
        for key in known.keys
        if all_keys or key.valid(now)
    ]  # fmt: skip
    lines = [
        f"{row['id']} {row['member']} {row['name']}: {row['right']}, {row['state']}, used {row['last_used'] or 'never'}"
        for row in rows
    ]  # fmt: skip
    frame.emit({"keys": rows}, "\n".join(lines) or "no keys")


def revoke(frame: Frame, key_id: Annotated[str, typer.Argument(help="As the list shows it.")]) -> None:
    """Close a key at once."""
    from remora.usecases.revoke_key import revoke_key

    key = revoke_key(_desk(), frame.grant, key_id)
    frame.emit({"id": key.id, "revoked": _time(key.revoked)}, f"revoked {key.id}")


def _time(micros: int) -> str:
    return shown(micros) if micros else ""


command(org, "add")(add)
command(org, "remove")(remove)
command(org, "grant")(grant)
command(org, "list")(show)
command(keys, "create")(create)
command(keys, "list")(listed)
command(keys, "revoke")(revoke)
