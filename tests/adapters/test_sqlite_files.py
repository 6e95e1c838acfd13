"""The store as a file: what it may start from, who may read it, and where it may lie."""

import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from fakes.clock import FakeClock
from remora.adapters.sqlite import files
from remora.adapters.sqlite.layout import APPLICATION_ID, STEPS, migrate
from remora.adapters.sqlite.store import open_store
from remora.core.errors import Conflict, Corrupt, Unavailable
from remora.ports import Repository
from store_shapes import OPERATOR, REPO, SHARED, node, plan


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "data" / "store.sqlite3"


def opened(path, **more):
    return open_store(path, REPO, FakeClock(), **more)


def test_files_are_for_their_owner_alone(path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("a")))
    for name in ("store.sqlite3", "store.sqlite3-wal", "store.sqlite3-shm"):
        assert stat.S_IMODE((path.parent / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700
    store.close()


def test_a_file_that_others_can_read_is_warned_about(path):
    store = opened(path)
    path.chmod(0o644)
    assert "0644" in store.health()["warnings"]
    store.close()


def test_an_empty_file_is_a_clean_start(path):
    path.parent.mkdir(parents=True)
    path.touch()
    store = opened(path)
    assert store.apply(OPERATOR, plan(node("a"))).seq == 1
    store.close()


@pytest.mark.parametrize("content", [b"{}", b"[]", b"\xef\xbb\xbf", b" \n", b"SQLite format 3", b"x" * 5000])
def test_foreign_content_is_refused_with_the_path_and_left_alone(path, content):
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(Corrupt, match=r"store\.sqlite3"):
        opened(path)
    assert path.read_bytes() == content
    assert [entry.name for entry in path.parent.iterdir()] == ["store.sqlite3"]


def test_another_programs_database_is_refused_and_left_alone(path):
    path.parent.mkdir(parents=True)
    con = apsw.Connection(str(path))
    con.execute("CREATE TABLE notes (text)")
    con.close()
    before = path.read_bytes()
    with pytest.raises(Corrupt, match="another program"):
        opened(path)
    assert path.read_bytes() == before


def test_a_folder_in_the_stores_place_is_an_error_that_names_it(path):
    path.mkdir(parents=True)
    with pytest.raises(Unavailable, match=r"store\.sqlite3"):
        opened(path)


def test_a_store_of_another_repository_is_refused_unless_it_is_an_alias(path):
    opened(path).close()
    with pytest.raises(Conflict):
        open_store(path, Repository(identity="other", id="r"), FakeClock())
    open_store(path, Repository(identity="other", id="r", aliases=(REPO.identity,)), FakeClock()).close()


def test_a_newer_layout_is_refused_naming_both(path):
    opened(path).close()
    con = apsw.Connection(str(path))
    con.pragma("user_version", 99)
    con.close()
    with pytest.raises(Unavailable, match=rf"layout 99.*{len(STEPS)}"):
        opened(path)


def test_missing_steps_run_once_in_order_and_keep_the_data(path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("a", "fox")))
    store.close()
    con = apsw.Connection(str(path))
    later = (*STEPS, "CREATE TABLE added (x INTEGER) STRICT", "INSERT INTO added SELECT count(*) FROM item")
    assert migrate(con, path, REPO.identity, later) == len(later)
    assert migrate(con, path, REPO.identity, later) == len(later)
    assert list(con.execute("SELECT x FROM added")) == [(1,)]
    con.close()


def test_a_step_that_fails_leaves_the_former_layout(path):
    opened(path).close()
    con = apsw.Connection(str(path))
    with pytest.raises(apsw.SQLError):
        migrate(con, path, REPO.identity, (*STEPS, "CREATE TABLE added (x)", "CREATE TABLE added (x)"))
    assert con.pragma("user_version") == len(STEPS)
    con.close()
    store = opened(path)
    assert store.verify() == ()
    store.close()


def test_the_file_says_what_it_is(path):
    opened(path).close()
    con = apsw.Connection(str(path))
    assert con.pragma("application_id") == APPLICATION_ID
    assert con.pragma("journal_mode") == "wal"
    con.close()


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "SMB3", "fuse.sshfs", "9p"])
def test_a_network_file_system_is_refused_naming_the_override(path, kind):
    with pytest.raises(Unavailable) as caught:
        opened(path, probe=lambda _: kind)
    assert kind in str(caught.value)
    assert files.OVERRIDE in caught.value.advice
    assert not path.exists()


def test_the_override_uses_a_rollback_journal_and_warns(path):
    store = opened(path, probe=lambda _: "nfs", allow_network=True)
    store.apply(OPERATOR, plan(node("a")))
    report = store.health()
    assert report["journal_mode"] == "delete"
    assert "network" in report["warnings"]
    with store.read(OPERATOR) as view:
        assert view.seq == 1
    store.close()


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "apfs", "tmpfs", "fuseblk", ""])
def test_local_file_systems_use_the_write_ahead_log(path, kind):
    store = opened(path, probe=lambda _: kind)
    assert store.health()["journal_mode"] == "wal"
    store.close()


@pytest.mark.parametrize("folder", ["Dropbox", "OneDrive - Acme", "Mobile Documents", "Google Drive"])
def test_a_cloud_sync_folder_is_warned_about(tmp_path, folder):
    store = opened(tmp_path / folder / "store.sqlite3")
    assert folder in store.health()["warnings"]
    store.close()


def test_the_file_system_is_read_from_the_mount_table(tmp_path):
    table = Path("/proc/self/mountinfo")
    assert files.file_system_of(tmp_path / "not" / "there") == files.file_system_of(tmp_path)
    if table.exists():
        assert files.file_system_of(Path("/proc/self")) == "proc"
        assert files.file_system_of(tmp_path) in table.read_text()


def test_opening_a_file_again_keeps_the_locks_of_the_process(path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("a")))
    # another process that could lock SQLite's shared range would think that nobody uses the file
    code = (
        "import fcntl, sys\n"
        "with open(sys.argv[1], 'rb+') as file:\n"
        "    try:\n"
        "        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)\n"
        "    except OSError:\n"
        "        sys.exit(7)\n"
    )

    def locked():
        return subprocess.run([sys.executable, "-c", code, str(path)], timeout=30, check=False).returncode == 7

    assert locked()
    opened(path).close()
    store.health()
    assert locked()
    store.close()
    assert not locked()


def test_a_removed_file_is_noticed_and_the_store_starts_anew(path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("a")))
    for name in list(path.parent.iterdir()):
        name.unlink()
    assert store.apply(OPERATOR, plan(node("b"))).seq == 1
    again = opened(path)
    with again.read(OPERATOR) as view:
        assert set(view.get(["a", "b"], SHARED)) == {"b"}
    store.close()
    again.close()


def test_a_restored_file_is_noticed(path, tmp_path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("a")))
    store.backup(tmp_path / "copy")
    store.apply(OPERATOR, plan(node("b")))
    for name in list(path.parent.iterdir()):
        name.unlink()
    (tmp_path / "copy").rename(path)
    with store.read(OPERATOR) as view:
        assert set(view.get(["a", "b"], SHARED)) == {"a"}
    store.close()


def test_a_closed_store_says_so(path):
    store = opened(path)
    store.close()
    with pytest.raises(Unavailable, match="closed"):
        store.apply(OPERATOR, plan(node("a")))
    store.close()


def test_a_backup_is_whole_private_and_opens(path, tmp_path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("a", "fox")))
    store.backup(tmp_path / "copy")
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    copy = opened(tmp_path / "copy")
    assert copy.verify() == ()
    with copy.read(OPERATOR) as view:
        assert view.text_candidates(["facts"], SHARED, ["fox"], limit=9).total == 1
    copy.close()
    with pytest.raises(Unavailable):
        store.backup(tmp_path / "no" / "such" / "folder")
    store.close()


def test_opening_a_store_imports_no_heavy_library(path):
    code = (
        "import sys; from pathlib import Path; from remora.adapters.sqlite.store import open_store\n"
        "from remora.ports import Repository; from remora.core.scope import operator_grant\n"
        "from remora.core.graph import Changes, Node\n"
        "class C:\n  def now(self): return 5\n"
        "s = open_store(Path(sys.argv[1]), Repository(identity='x', id='r'), C()); g = operator_grant()\n"
        "n = Node(id='a', family='f', label='l', scope='repository', name='', tokens={'t': ('w',)})\n"
        "s.apply(g, lambda v, t: Changes(put=(n,)))\n"
        "with s.read(g) as v: assert v.text_candidates(['f'], ['repository'], ['w'], limit=1).total == 1\n"
        "heavy = {'numpy', 'pydantic', 'asyncio', 'neo4j', 'mcp', 'starlette', 'tree_sitter'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, timeout=30)
