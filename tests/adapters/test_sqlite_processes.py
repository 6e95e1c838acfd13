"""Several processes and threads on one store file: nothing lost, nothing torn, strict order."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from remora.core.graph import Changes
from store_shapes import OPERATOR, REPO, SHARED, node, plan

TESTS = Path(__file__).parents[1]
WRITER = """
import sys
import time
from pathlib import Path
from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from remora.core.graph import Changes
from store_shapes import *
path, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = open_store(path, REPO, FakeClock())
for number in range(rounds):
    def decide(view, moment):
        count = view.get(["counter"], SHARED).get("counter", node("counter", count=0)).body["count"]
        return Changes(put=(node(f"{name}-{number}", "w", at=moment, after=view.seq), node("counter", count=count + 1)))
    applied = store.apply(OPERATOR, decide)
    with store.read(OPERATOR) as view:
        assert view.seq >= applied.seq and f"{name}-{number}" in view.get([f"{name}-{number}"], SHARED)
store.close()
"""


BUSY = """
import sys, time
from pathlib import Path
from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from store_shapes import *
store, end, count = open_store(Path(sys.argv[1]), REPO, FakeClock()), time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < end:
    store.apply(OPERATOR, plan(*(node(f"{count}-{number}", "some words here") for number in range(100))))
    count += 1
"""


def python(code: str, *arguments: str) -> "subprocess.Popen[bytes]":
    environ = os.environ | {"PYTHONPATH": str(TESTS)}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=environ)


def test_four_processes_writing_at_once_lose_nothing(tmp_path):
    path = tmp_path / "store.sqlite3"  # does not exist yet: the processes race to make it
    rounds, names = 120, "abcd"
    processes = [python(WRITER, str(path), name, str(rounds)) for name in names]
    assert [process.wait(120) for process in processes] == [0] * len(names)
    store = open_store(path, REPO, FakeClock())
    with store.read(OPERATOR) as view:
        items = view.snapshot(["facts"], SHARED)
        written = [item for item in items if item.id != "counter"]
        assert {item.id for item in written} == {f"{name}-{i}" for name in names for i in range(rounds)}
        assert sorted(item.body["after"] for item in written) == list(range(len(names) * rounds))
        in_order = sorted(written, key=lambda item: item.body["after"])
        times = [item.body["at"] for item in in_order]
        assert times == sorted(set(times))
        assert view.get(["counter"], SHARED)["counter"].body["count"] == len(names) * rounds == view.seq
    assert store.verify() == ()
    store.close()


def test_a_busy_writer_does_not_starve_another(tmp_path):
    path = tmp_path / "store.sqlite3"
    store = open_store(path, REPO, FakeClock())
    busy = python(BUSY, str(path), "2.5")
    waits = []
    while busy.poll() is None:
        started = time.monotonic()
        store.apply(OPERATOR, plan(node(f"live{len(waits)}")))
        waits.append(time.monotonic() - started)
        time.sleep(0.02)
    assert busy.wait(30) == 0
    assert len(waits) > 10
    assert sorted(waits)[len(waits) * 9 // 10] < 0.5
    store.close()


def test_threads_share_one_store(tmp_path):
    store = open_store(tmp_path / "store.sqlite3", REPO, FakeClock())

    def write(name):
        store.apply(OPERATOR, lambda view, moment: Changes(put=(node(name, "w", after=view.seq),)))
        with store.read(OPERATOR) as view:
            assert name in view.get([name], SHARED)
            assert view.text_candidates(["facts"], SHARED, ["w"], limit=5).total >= 1

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, [f"n{number}" for number in range(200)]))
    with store.read(OPERATOR) as view:
        assert sorted(item.body["after"] for item in view.snapshot(["facts"], SHARED)) == list(range(200))
    store.close()


def test_a_forked_child_uses_connections_of_its_own(tmp_path):
    code = """
import os, sys
from pathlib import Path
from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from store_shapes import *
store = open_store(Path(sys.argv[1]), REPO, FakeClock())
store.apply(OPERATOR, plan(node("parent")))
child = os.fork()
if child == 0:
    store.apply(OPERATOR, plan(node("child")))
    store.close()
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
store.apply(OPERATOR, plan(node("after")))
with store.read(OPERATOR) as view:
    assert set(view.get(["parent", "child", "after"], SHARED)) == {"parent", "child", "after"}
assert store.verify() == ()
"""
    assert python(code, str(tmp_path / "store.sqlite3")).wait(30) == 0


def test_closing_releases_every_file(tmp_path):
    store = open_store(tmp_path / "store.sqlite3", REPO, FakeClock())
    store.apply(OPERATOR, plan(node("a")))
    with store.read(OPERATOR), store.read(OPERATOR):
        store.close()
    names = [os.readlink(entry.path) for entry in os.scandir("/proc/self/fd") if os.path.exists(entry.path)]
    assert not [name for name in names if str(tmp_path) in name]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["store.sqlite3", "store.sqlite3-turn"]


def faults_at_each_operation(tmp_path: Path, mode: str, stride: int) -> None:
    program = [sys.executable, str(TESTS / "store_faults.py"), str(tmp_path), mode, str(stride)]
    environ = os.environ | {"PYTHONPATH": str(TESTS)}
    subprocess.run(program, env=environ, check=True, timeout=250, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize("mode", ["full", "io", "kill"])
def test_a_fault_at_a_file_operation_is_a_typed_error_and_loses_or_tears_nothing(tmp_path, mode):
    faults_at_each_operation(tmp_path, mode, stride=11)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["full", "io", "kill"])
def test_a_fault_at_every_single_file_operation_loses_or_tears_nothing(tmp_path, mode):
    faults_at_each_operation(tmp_path, mode, stride=1)


def kill_rounds(tmp_path: Path, rounds: int, seed: int) -> None:
    program = [sys.executable, str(TESTS / "store_crash.py"), str(tmp_path / "store.sqlite3"), str(rounds), str(seed)]
    environ = os.environ | {"PYTHONPATH": str(TESTS)}
    subprocess.run(program, env=environ, check=True, timeout=30 + rounds, stdout=subprocess.DEVNULL)


def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path):
    kill_rounds(tmp_path, 30, seed=1)


@pytest.mark.slow
def test_a_writer_killed_a_thousand_times_loses_nothing_that_it_acknowledged(tmp_path):
    kill_rounds(tmp_path, 1_000, seed=2)
