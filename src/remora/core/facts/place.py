"""Where a call reads or writes: the repository's durable scope, or the private one of an open session."""

from dataclasses import dataclass
from enum import StrEnum

from remora.core.errors import InvalidInput
from remora.core.scope import REPOSITORY, Grant
from remora.core.sessions import SessionRef, resolve
from remora.core.store_read import StoreRead


class ScopeName(StrEnum):
    """The two scopes, as callers name them."""

    REPOSITORY = "repository"
    SESSION = "session"

    @classmethod
    def parse(cls, raw: str) -> "ScopeName":
        """Read a caller's word."""
        try:
            return cls(raw)
        except ValueError:
            raise InvalidInput("memory_scope", "is not a scope", allowed="repository or session") from None


@dataclass(frozen=True, slots=True)
class Place:
    """A scope key, and the session that the call came from ("" when it named none)."""

    scope: str
    session: str = ""


def place_of(view: StoreRead, grant: Grant, memory_scope: ScopeName, ref: SessionRef, now: int) -> Place:
    """The scope a call works in. A session that is named must be open, whatever the scope; `NotFound` otherwise.

    There is no way from a session's scope to the repository's: a session call without a session is an error.
    """
    if ref.given:
        session = resolve(view, grant, ref, now)
        return Place(REPOSITORY if memory_scope is ScopeName.REPOSITORY else session.scope, session.id)
    if memory_scope is ScopeName.SESSION:
        raise InvalidInput(
            "session", "is missing", allowed="the handle that registration returned (needed for memory_scope session)"
        )
    return Place(REPOSITORY)
