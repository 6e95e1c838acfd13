"""Who may see and write a record; asked before anything is counted, ranked, hidden or rendered."""

from remora.core.errors import Denied
from remora.core.records.model import Record
from remora.core.records.vocabulary import ScopeKind
from remora.core.scope import Grant, Right


def may_see(grant: Grant, record: Record) -> bool:
    """Whether the record exists for this principal."""
    return may_see_scope(
        grant, record.access_scope.scope, record.access_scope.workspace, record.owner, record.repository
    )


def may_see_scope(grant: Grant, scope: ScopeKind, workspace: str, owner: str, repository: str) -> bool:
    """The rule of `may_see` on bare values, for engines that keep them as columns."""
    if grant.operator:
        return True
    if scope is ScopeKind.PRIVATE:
        return grant.allow_private or bool(owner and owner == grant.principal)
    if scope is ScopeKind.WORKSPACE:
        return "*" in grant.workspaces or workspace in grant.workspaces
    return grant.right(repository) >= Right.READ


def may_write(grant: Grant, record: Record) -> bool:
    """Whether this principal may write the record, and so also supersede it."""
    if grant.operator:
        return True
    if record.access_scope.scope is ScopeKind.PRIVATE:
        return bool(record.owner and record.owner == grant.principal)
    if record.access_scope.scope is ScopeKind.WORKSPACE:
        return may_see(grant, record)
    return grant.right(record.repository) >= Right.WRITE


def require_write(grant: Grant, record: Record) -> None:
    """Raise `Denied` unless the grant may store this new record: in its scope, and under no other's name."""
    if not may_write(grant, record):
        raise Denied(f"principal {grant.principal!r} may not write a {record.access_scope.scope.value} record here")
    if not grant.operator and record.owner not in ("", grant.principal):
        raise Denied(f"principal {grant.principal!r} may not write in another's name")
