"""Who may see and write what: the one `Grant` value, rights, and the scopes that items live in."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum

from remora.core.errors import Denied

REPOSITORY = "repository"
"""Scope key of durable items, shared by all who may read the repository."""
SYSTEM = "system"
"""Scope key of Remora's own bookkeeping (sessions, ledger, jobs); never in a recall."""
_SESSION_PREFIX = "session:"


def session_scope(session_id: str) -> str:
    """Scope key of the private items of one registered session (its node id)."""
    return _SESSION_PREFIX + session_id


def is_session_scope(scope: str) -> bool:
    """Whether the scope key belongs to a session."""
    return scope.startswith(_SESSION_PREFIX)


class Right(IntEnum):
    """What a principal may do in a repository; each right holds those below it."""

    NONE = 0
    READ = 1
    WRITE = 2
    ADMIN = 3


class Trust(IntEnum):
    """How far a source is trusted; computed by us, never taken from the caller."""

    EXTERNAL = 1
    DERIVED = 2
    AGENT = 3
    MEMBER = 4
    OPERATOR = 5


class Channel(StrEnum):
    """The door through which a call came; stamped into provenance."""

    CLI = "cli"
    MCP = "mcp"
    HTTP = "http"
    HOOK = "hook"
    GIT = "git"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Grant:
    """One value that rules all families: built from a key, CLI options or server options, never by a tool argument.

    `rights` maps a repository identity (or `*`) to a right; `workspaces` are workspace claims (or `*`).
    The operator (embedded mode, no options) may do everything.
    """

    principal: str = "operator"
    operator: bool = False
    rights: tuple[tuple[str, Right], ...] = ()
    workspaces: frozenset[str] = frozenset()
    allow_private: bool = False
    channel: Channel = Channel.CLI
    client: str = ""
    trust: Trust = field(default=Trust.AGENT)

    def right(self, repository: str) -> Right:
        """The highest right on one repository identity."""
        if self.operator:
            return Right.ADMIN
        return max((right for name, right in self.rights if name in ("*", repository)), default=Right.NONE)

    def require(self, repository: str, right: Right) -> None:
        """Raise `Denied` unless the grant holds `right` on the repository."""
        if self.right(repository) < right:
            raise Denied(f"principal {self.principal!r} has no {right.name.lower()} right on this repository")

    def via(self, channel: Channel, client: str = "") -> "Grant":
        """The same grant as seen through one door."""
        return replace(self, channel=channel, client=client or self.client)


def operator_grant(channel: Channel = Channel.CLI, client: str = "") -> Grant:
    """The local operator of an embedded store: sees and writes everything."""
    return Grant(operator=True, allow_private=True, channel=channel, client=client, trust=Trust.OPERATOR)


def restricted_grant(
    principal: str,
    *,
    repository_claims: Iterable[str] = (),
    workspace_claims: Iterable[str] = (),
    allow_private: bool = False,
    right: Right = Right.WRITE,
    channel: Channel = Channel.CLI,
    trust: Trust = Trust.AGENT,
) -> Grant:
    """A principal with claims: reads what its claims and ownership show, writes what it may see."""
    return Grant(
        principal=principal,
        rights=tuple((claim, right) for claim in repository_claims),
        workspaces=frozenset(workspace_claims),
        allow_private=allow_private,
        channel=channel,
        trust=trust,
    )
