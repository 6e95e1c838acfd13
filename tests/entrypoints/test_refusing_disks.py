"""A disk that refuses writes: what is stored is read, a write is refused in a sentence, what is stale is told."""

import ctypes
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from remora.adapters.sqlite.store import open_store
from remora.adapters.system import SystemClock
from remora.core.graph import Changes
from remora.core.scope import operator_grant
from remora.ports import Repository

_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH = 24, 1, 2


def _obey_modes() -> None:
    """In the child, before it starts: folders' modes hold for the administrator too."""
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


@contextmanager
def read_only(*places: Path) -> Iterator[None]:
    """Everything below the places may be read and not written."""
    found = [path for place in places for path in (place, *place.rglob("*")) if not path.is_symlink()]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in found}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def remora(world, *args: str, before: Callable[[], None] = _obey_modes) -> subprocess.CompletedProcess[str]:  # type: ignore[no-untyped-def]
    return subprocess.run(
        [sys.executable, "-m", "remora", *args], cwd=world.repo, env=world.env, capture_output=True, text=True,
        timeout=60, check=False, preexec_fn=before,
    )  # fmt: skip


@pytest.fixture
def kept(world):  # type: ignore[no-untyped-def]
    """A world with a fact and a code graph, whose processes have ended."""
    world.commit("start", a__py="def helper():\n    return 1\n\n\ndef caller():\n    return helper()\n")
    assert world.remora("remember", "the queue", "is", "drained at midnight").code == 0
    assert world.remora("index").code == 0
    return world


def test_what_is_stored_is_read_on_a_read_only_disk_and_a_write_is_refused_in_a_sentence(kept) -> None:  # type: ignore[no-untyped-def]
    with read_only(kept.place):
        listed, told = remora(kept, "facts", "list"), remora(kept, "recall", "when is the queue drained")
        doctor, graph = remora(kept, "doctor"), remora(kept, "affected", "helper")
        refused = remora(kept, "remember", "the queue", "is", "never drained")
    assert "drained at midnight" in listed.stdout, listed.stderr
    assert "drained at midnight" in told.stdout, told.stderr
    assert doctor.returncode == 0, doctor.stdout
    assert "caller" in graph.stdout, graph.stderr
    assert refused.returncode == 1
    assert "read" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_graph_that_cannot_be_brought_up_to_date_answers_and_says_what_is_stale(kept) -> None:  # type: ignore[no-untyped-def]
    (kept.repo / "a.py").write_text("def helper():\n    return 2\n\n\ndef caller():\n    return helper() + 1\n")
    with read_only(kept.repo / ".remora"):
        told = remora(kept, "affected", "helper", "--json")
    assert "caller" in told.stdout, told.stderr
    assert '"a.py"' in told.stdout.partition("stale")[2]


def test_a_first_question_builds_a_small_graph_that_is_missing_or_of_another_layout(kept) -> None:  # type: ignore[no-untyped-def]
    graph = kept.repo / ".remora" / "cache" / "graph.sqlite3"
    graph.unlink()
    assert "caller" in kept.remora("affected", "helper").out
    con = apsw.Connection(str(graph))
    con.execute("UPDATE meta SET value='0' WHERE key='layout'")
    con.close()
    assert "caller" in kept.remora("affected", "helper").out


_COUNT = """
import sys, pathlib, apsw
from remora.adapters.sqlite.pool import connect
try:
    con = connect(pathlib.Path(sys.argv[1]), busy_timeout_seconds=1)
    print(con.readonly("main"), con.execute("SELECT count(*) FROM reply").get)
except apsw.CantOpenError:
    print("refused")
"""


@pytest.mark.parametrize(("endings", "told"), [(("", "-wal"), "refused"), (("",), "True 0")])
def test_a_store_is_read_without_its_journal_only_when_there_is_none(
    tmp_path: Path, endings: tuple[str, ...], told: str
) -> None:
    """Reading the file alone would else answer with an older state."""
    path = tmp_path / "store" / "r.sqlite3"
    store = open_store(path, Repository("here", "r_here", root=tmp_path), SystemClock())
    if "-wal" in endings:
        store.apply(operator_grant(), lambda view, now: Changes(result="first"), idempotency_key="k")
    else:
        store.close()
    copied = tmp_path / "copied" / "r.sqlite3"
    copied.parent.mkdir()
    for ending in endings:
        shutil.copyfile(f"{path}{ending}", f"{copied}{ending}")
    store.close()
    with read_only(copied.parent):
        done = subprocess.run(
            [sys.executable, "-c", _COUNT, str(copied)], capture_output=True, text=True, timeout=30, check=True,
            preexec_fn=_obey_modes,
        )  # fmt: skip
    assert done.stdout.strip() == told


_RECALL = """
import sys
print(".", flush=True)
sys.argv = ["remora", "recall", "x"]
from remora.__main__ import main
main()
"""


def test_an_interruption_while_modules_load_ends_quietly(world) -> None:  # type: ignore[no-untyped-def]
    for delay_seconds in (0.03, 0.08, 0.15):
        process = subprocess.Popen(
            [sys.executable, "-c", _RECALL],
            cwd=world.repo, env=world.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.read(1)
        time.sleep(delay_seconds)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
        assert "Traceback" not in told
        assert process.returncode in (0, 130)
