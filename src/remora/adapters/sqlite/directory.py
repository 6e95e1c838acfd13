"""`Directory` in one SQLite file beside the repositories' stores."""

import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from remora.adapters.sqlite import files
from remora.adapters.sqlite.faults import DAMAGED_ADVICE, file_access
from remora.adapters.sqlite.pool import Pool, connect, dispose, set_journal, writing
from remora.core.directory.keys import Credential, rights_of
from remora.core.directory.values import (
    Key,
    KnownRepository,
    Listing,
    Member,
    Organisation,
    RepositoryGrant,
    Row,
    organisation_id,
)
from remora.core.errors import Conflict, Corrupt, Unavailable
from remora.core.policy import BUSY_TIMEOUT_SECONDS
from remora.core.scope import Right

_APPLICATION_ID = 0x52454D44
"""`REMD`: a directory, not a store."""
_LAYOUT = 1
_TABLES = """
CREATE TABLE organisation (id TEXT PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE member (
    id TEXT PRIMARY KEY, organisation TEXT NOT NULL, name TEXT NOT NULL, created INTEGER NOT NULL,
    removed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE key (
    id TEXT PRIMARY KEY, member TEXT NOT NULL, name TEXT NOT NULL, right INTEGER NOT NULL, created INTEGER NOT NULL,
    repositories TEXT NOT NULL, expires INTEGER NOT NULL, revoked INTEGER NOT NULL, last_used INTEGER NOT NULL,
    digest TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
CREATE TABLE repository (
    id TEXT PRIMARY KEY, identity TEXT NOT NULL, root TEXT NOT NULL, home TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE repository_grant (
    repository TEXT NOT NULL, subject TEXT NOT NULL, right INTEGER NOT NULL, PRIMARY KEY (repository, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX grant_by_subject ON repository_grant (subject, repository);
"""
_OWNER = "SELECT organisation, name, created, removed FROM member WHERE id = ?"
_GRANTED = "SELECT repository, subject, right FROM repository_grant WHERE subject IN (?, ?)"
_KEY_COLUMNS = "id, member, name, right, created, repositories, expires, revoked, last_used"


class SqliteDirectory:
    """The file is made at the first write; until then the directory is empty."""

    def __init__(self, path: Path, *, allow_network: bool = False) -> None:
        self._path = path
        self._allow_network = allow_network
        self._pool = Pool(path, self._prepare, busy_timeout_seconds=BUSY_TIMEOUT_SECONDS)
        self._writer = threading.Lock()

    def listing(self) -> Listing:
        """All rows."""
        with self._reading() as con:
            if con is None:
                return Listing()
            return Listing(
                tuple(Organisation(*row) for row in con.execute("SELECT name, created FROM organisation ORDER BY 1")),
                tuple(
                    Member(*row)
                    for row in con.execute(
                        "SELECT organisation, name, created, removed FROM member ORDER BY organisation, name"
                    )
                ),
                tuple(_key(row) for row in con.execute(f"SELECT {_KEY_COLUMNS} FROM key ORDER BY created, id")),  # noqa: S608  # constants
                _repositories(con),
                _grants(con.execute("SELECT repository, subject, right FROM repository_grant ORDER BY 1, 2")),
            )

    def repositories(self) -> tuple[KnownRepository, ...]:
        """The table of repositories."""
        with self._reading() as con:
            return () if con is None else _repositories(con)

    def put(self, *rows: Row) -> None:
        """Add or replace rows by id, in one transaction."""
        with self._writing() as con:
            for row in rows:
                _put(con, row)

    def add_key(self, key: Key, digest: str) -> None:
        """Add a key under its keyed hash."""
        with self._writing() as con:
            if con.execute("SELECT 1 FROM key WHERE id = ? OR digest = ?", (key.id, digest)).get is not None:
                raise Conflict("this key exists already")
            con.execute(
                f"INSERT INTO key ({_KEY_COLUMNS}, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  # constants
                (*_key_values(key), digest),
            )

    def credential(self, digest: str) -> Credential | None:
        """A key with its member and what they are granted."""
        with self._reading() as con:
            if con is None:
                return None
            row = con.execute(f"SELECT {_KEY_COLUMNS}, digest FROM key WHERE digest = ?", (digest,)).fetchone()  # noqa: S608  # constants
            if row is None:
                return None
            key = _key(row[:-1])
            owner = con.execute(_OWNER, (key.member,)).fetchone()
            if owner is None:
                return None
            member = Member(*owner)
            grants = _grants(con.execute(_GRANTED, (member.id, organisation_id(member.organisation))))
            identities = {known.id: known.identity for known in _repositories(con)}
            return Credential(key, str(row[-1]), member, rights_of(member, key, grants, identities))

    def touch(self, key_ids: Iterable[str], now: int) -> None:
        """Note that keys were used."""
        with self._writing() as con:
            for item in key_ids:
                con.execute("UPDATE key SET last_used = max(last_used, ?) WHERE id = ?", (now, item))

    def close(self) -> None:
        """Release the file."""
        self._pool.close()

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection | None]:
        """A connection in one read transaction; None while there is no file."""
        if not self._path.exists():
            yield None
            return
        with self._pool.borrow() as con:
            con.execute("BEGIN")
            try:
                yield con
            finally:
                con.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        with self._writer, self._pool.borrow() as con, writing(con):
            yield con

    def _prepare(self) -> None:
        with file_access(self._path):
            journal = files.journal_mode(self._path, files.file_system_of, allow_network=self._allow_network)
            files.prepare(self._path)
        con = connect(self._path, busy_timeout_seconds=BUSY_TIMEOUT_SECONDS)
        try:
            set_journal(con, journal, deadline_seconds=BUSY_TIMEOUT_SECONDS)
            _migrate(con, self._path)
        finally:
            dispose(con)


def _migrate(con: apsw.Connection, path: Path) -> None:
    with writing(con):
        application, version = int(con.pragma("application_id")), int(con.pragma("user_version"))
        if application not in (0, _APPLICATION_ID) or (not application and con.execute(_ANY_TABLE).get):
            raise Corrupt(f"{path} is not a directory of Remora", advice=DAMAGED_ADVICE)
        if version > _LAYOUT:
            raise Unavailable(f"the directory {path} was made by a newer Remora", advice="upgrade Remora")
        if version < _LAYOUT:
            con.execute(_TABLES)
            con.pragma("application_id", _APPLICATION_ID)
            con.pragma("user_version", _LAYOUT)


_ANY_TABLE = "SELECT count(*) FROM sqlite_schema"


def _put(con: apsw.Connection, row: Row) -> None:
    match row:
        case Organisation():
            con.execute("INSERT OR REPLACE INTO organisation VALUES (?, ?, ?)", (row.id, row.name, row.created))
        case Member():
            values = (row.id, row.organisation, row.name, row.created, row.removed)
            con.execute("INSERT OR REPLACE INTO member VALUES (?, ?, ?, ?, ?)", values)
        case Key():
            con.execute(
                "UPDATE key SET member = ?2, name = ?3, right = ?4, created = ?5, repositories = ?6, expires = ?7, "
                "revoked = ?8, last_used = ?9 WHERE id = ?1",
                _key_values(row),
            )
        case KnownRepository():
            con.execute(
                "INSERT OR REPLACE INTO repository VALUES (?, ?, ?, ?)", (row.id, row.identity, row.root, row.home)
            )
        case RepositoryGrant() if row.right is Right.NONE:
            con.execute(
                "DELETE FROM repository_grant WHERE repository = ? AND subject = ?", (row.repository, row.subject)
            )
        case RepositoryGrant():
            con.execute(
                "INSERT OR REPLACE INTO repository_grant VALUES (?, ?, ?)",
                (row.repository, row.subject, int(row.right)),
            )


def _key_values(key: Key) -> tuple[Any, ...]:
    repositories = json.dumps(list(key.repositories))
    return (
        key.id, key.member, key.name, int(key.right), key.created, repositories, key.expires, key.revoked,
        key.last_used,
    )  # fmt: skip


def _key(row: tuple[Any, ...]) -> Key:
    item, member, name, right, created, repositories, expires, revoked, last_used = row
    return Key(
        id=item, member=member, name=name, right=Right(right), created=created,
        repositories=tuple(json.loads(repositories)), expires=expires, revoked=revoked, last_used=last_used,
    )  # fmt: skip


def _repositories(con: apsw.Connection) -> tuple[KnownRepository, ...]:
    return tuple(
        KnownRepository(*row) for row in con.execute("SELECT id, identity, root, home FROM repository ORDER BY id")
    )


def _grants(rows: Iterable[tuple[Any, ...]]) -> tuple[RepositoryGrant, ...]:
    return tuple(RepositoryGrant(repository, subject, Right(right)) for repository, subject, right in rows)
