"""When a retry says the same thing: equality of content under one idempotency key."""

import re
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import TypeAlias

from remora.core import ids
from remora.core.records.model import VERSION, Record
from remora.core.records.vocabulary import ScopeKind

_Essence: TypeAlias = tuple[object, ...]


class KeyPrefix(StrEnum):
    """Prefixes of the keys that captures compute; every other key was chosen by a caller."""

    GIT = "git:"
    DOCUMENT = "document:"
    EXTERNAL = "external:"
    SEMANTIC = "semantic:"


_DERIVED = (KeyPrefix.GIT, KeyPrefix.DOCUMENT, KeyPrefix.SEMANTIC)
_AUTHORED = re.compile(r":(?:retract|correct|promote|link):mem_[0-9a-f]{24}$")
_FOLLOW_UP = re.compile(r":[a-z]+:mem_[0-9a-f]{24}$")


def is_derivable(record: Record) -> bool:
    """Whether the record can be captured again from the repository; a person's correction of one cannot."""
    return record.idempotency_key.startswith(_DERIVED) and not _AUTHORED.search(record.idempotency_key)


def same_content(first: Record, second: Record) -> bool:
    """Whether two records under one id say the same, so that a retry is `already_present` and not a conflict.

    The schema version never counts. A commit is its sha, an artifact its payload digest (part of the key); documents
    and summaries are their text and sources; an outcome is everything but server-made times, how its names resolved,
    and who brought a shared one.
    """
    return first.id == second.id and _essence(first) == _essence(second)


def _essence(record: Record) -> _Essence:
    if not _FOLLOW_UP.search(record.idempotency_key):
        for prefix, essence in _ESSENCES.items():
            if record.idempotency_key.startswith(prefix):
                return essence(record)
    return _outcome(record)


def _outcome(record: Record) -> _Essence:
    owner = record.owner if record.access_scope.scope is ScopeKind.PRIVATE else ""
    bare = replace(record, version=VERSION, occurred_at=0, recorded_at=0, affected_symbols=(), owner=owner)
    return (bare, tuple(anchor.label for anchor in record.affected_symbols))


def _commit(record: Record) -> _Essence:
    return (record.kind, record.commit, record.access_scope)


def _artifact(record: Record) -> _Essence:
    """Two importers of one shared artifact say the same; a private one is its importer's."""
    private = record.access_scope.scope is ScopeKind.PRIVATE
    return (record.kind, record.access_scope, record.owner if private else "")


def _document(record: Record) -> _Essence:
    sources = tuple((source.kind, source.uri, source.digest) for source in record.sources)
    return (record.kind, record.title, record.summary, sources, record.access_scope)


_ESSENCES: dict[KeyPrefix, Callable[[Record], _Essence]] = {
    KeyPrefix.GIT: _commit,
    KeyPrefix.EXTERNAL: _artifact,
    KeyPrefix.DOCUMENT: _document,
    KeyPrefix.SEMANTIC: _document,
}


def apart(record: Record, principal: str) -> Record:
    """The same record under a key of the writer's own, which nothing that it may not see can have taken."""
    if record.idempotency_key.endswith(f":by:{principal}"):
        return record
    key = f"{record.idempotency_key}:by:{principal}"
    return replace(record, id=ids.record_id(record.repository, key), idempotency_key=key)


def is_everyones(record: Record) -> bool:
    """Whether the record has one key for all writers: what any reader of the repository would capture alike.

    Every other key may have been taken by something that a restricted writer cannot see, so it writes under its own.
    """
    return is_derivable(record) and record.access_scope.scope is ScopeKind.REPOSITORY
