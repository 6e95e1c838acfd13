"""The directory's file: rows come back as they went in, others' files are refused, no file is no rows."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from remora.adapters.sqlite.directory import SqliteDirectory
from remora.core.directory.values import (
    Key,
    KnownRepository,
    Listing,
    Member,
    Organisation,
    RepositoryGrant,
    organisation_id,
)
from remora.core.errors import Conflict, Corrupt, Unavailable
from remora.core.scope import Right

ANN = Member("acme", "ann", 2)
HERE = KnownRepository("r_1", "https://example.org/a", "/src/a", "/src/a/.remora")
KEY = Key(id="key_1", member=ANN.id, name="laptop", right=Right.WRITE, created=3, repositories=("r_1",), expires=9)


def filled(path: Path) -> SqliteDirectory:
    directory = SqliteDirectory(path)
    directory.put(Organisation("acme", 1), ANN, HERE, RepositoryGrant("r_1", organisation_id("acme"), Right.READ))
    directory.add_key(KEY, "digest")
    return directory


def test_without_a_file_it_is_empty_and_reading_makes_none(tmp_path: Path) -> None:
    directory = SqliteDirectory(tmp_path / "d.sqlite3")
    assert directory.listing() == Listing()
    assert directory.credential("x") is None
    assert directory.repositories() == ()
    assert list(tmp_path.iterdir()) == []


def test_rows_come_back_as_they_went_in(tmp_path: Path) -> None:
    directory = filled(tmp_path / "d.sqlite3")
    listing = directory.listing()
    assert listing.organisations == (Organisation("acme", 1),)
    assert (listing.members, listing.keys, listing.repositories) == ((ANN,), (KEY,), (HERE,))
    found = directory.credential("digest")
    assert found is not None
    assert (found.key, found.member, found.rights) == (KEY, ANN, ((HERE.identity, Right.READ),))
    assert stat.S_IMODE((tmp_path / "d.sqlite3").stat().st_mode) == 0o600


def test_a_grant_of_no_right_is_taken_back(tmp_path: Path) -> None:
    directory = filled(tmp_path / "d.sqlite3")
    directory.put(RepositoryGrant("r_1", organisation_id("acme"), Right.NONE))
    assert directory.listing().grants == ()


def test_a_key_is_added_once_and_its_last_use_only_grows(tmp_path: Path) -> None:
    directory = filled(tmp_path / "d.sqlite3")
    with pytest.raises(Conflict):
        directory.add_key(KEY, "another")
    directory.touch(["key_1"], 50)
    directory.touch(["key_1"], 40)
    assert directory.listing().keys[0].last_used == 50


def test_processes_that_make_the_file_at_once_agree(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite3"
    desks = [SqliteDirectory(path) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda pair: pair[1].put(Organisation(f"o{pair[0]}", 1)), enumerate(desks)))
    assert len(desks[0].listing().organisations) == 8


def test_files_of_others_and_of_newer_versions_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite3"
    text.write_text("not a database")
    other = tmp_path / "other.sqlite3"
    apsw.Connection(str(other)).execute("CREATE TABLE theirs (a)")
    for path in (text, other):
        with pytest.raises(Corrupt):
            SqliteDirectory(path).listing()
    newer = tmp_path / "newer.sqlite3"
    filled(newer).close()
    apsw.Connection(str(newer)).pragma("user_version", 99)
    with pytest.raises(Unavailable):
        SqliteDirectory(newer).listing()
