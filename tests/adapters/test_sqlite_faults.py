"""Faults of disk, locks and bytes: a typed error, the old data intact, and work again once the cause is gone."""

import contextlib
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import pytest

from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from remora.core.errors import Corrupt, RemoraError, Unavailable
from remora.core.scope import session_scope
from store_shapes import OPERATOR, REPO, SHARED, edge, floats, node, plan, vector

MINE = session_scope("s1")
HOLDER = """
import sys, time, apsw
con = apsw.Connection(sys.argv[1]); con.execute("BEGIN IMMEDIATE"); print("held", flush=True)
time.sleep(float(sys.argv[2])); con.execute("COMMIT")
"""


def opened(path, **more):
    return open_store(path, REPO, FakeClock(), **more)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite3"


def hold_lock(path, seconds):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path), str(seconds)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    return holder


def release(holder):
    holder.kill()
    holder.wait(10)
    holder.stdout.close()


def test_a_write_waits_for_another_process_and_then_succeeds(path):
    store = opened(path)
    holder = hold_lock(path, 1.5)
    started = time.monotonic()
    assert store.apply(OPERATOR, plan(node("a"))).seq == 1
    assert time.monotonic() - started > 1
    release(holder)
    store.close()


def test_at_the_deadline_a_write_fails_with_advice_and_the_next_one_works(path):
    store = opened(path, busy_timeout_seconds=0.3)
    holder = hold_lock(path, 60)
    for attempt in (lambda: store.apply(OPERATOR, plan(node("a"))), lambda: store.lease("l", "me", 5)):
        with pytest.raises(Unavailable, match="busy") as caught:
            attempt()
        assert caught.value.advice
    with store.read(OPERATOR) as view:
        assert view.seq == 0
    release(holder)
    assert store.apply(OPERATOR, plan(node("a"))).seq == 1
    store.close()


def test_threads_of_one_process_queue_for_the_lock_until_their_deadline(path):
    store = opened(path, busy_timeout_seconds=0.3)
    inside, leave = threading.Event(), threading.Event()

    def slow(view, moment):
        inside.set()
        leave.wait(10)
        return plan(node("slow"))(view, moment)

    thread = threading.Thread(target=lambda: store.apply(OPERATOR, slow))
    thread.start()
    inside.wait(10)
    with pytest.raises(Unavailable, match="busy"):
        store.apply(OPERATOR, plan(node("a")))
    leave.set()
    thread.join(10)
    assert store.apply(OPERATOR, plan(node("a"))).seq == 2
    store.close()


def test_a_write_inside_a_decision_is_refused_at_once(path):
    store = opened(path)

    def nested(view, moment):
        store.apply(OPERATOR, plan(node("b")))
        raise AssertionError

    started = time.monotonic()
    with pytest.raises(RuntimeError, match="inside"):
        store.apply(OPERATOR, nested)
    assert time.monotonic() - started < 1
    assert store.apply(OPERATOR, plan(node("a"))).seq == 1
    store.close()


def test_reads_and_a_write_may_nest_in_one_thread(path):
    store = opened(path)
    with store.read(OPERATOR) as outer:
        store.apply(OPERATOR, plan(node("a")))
        with store.read(OPERATOR) as inner:
            assert (outer.seq, inner.seq) == (0, 1)
    store.close()


def test_a_view_ends_with_its_block(path):
    store = opened(path)
    with store.read(OPERATOR) as view:
        assert view.seq == 0
    with pytest.raises(AttributeError):
        view.get(["a"], SHARED)
    store.close()


def test_a_full_disk_is_a_typed_error_and_heals(path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("old", "fox")))
    code = f"""
import resource, signal, sys
sys.path[:0] = {sys.path!r}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from pathlib import Path
from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from remora.core.errors import Unavailable
from store_shapes import *
store = open_store(Path({str(path)!r}), REPO, FakeClock())
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
for attempt in range(3):
    try:
        store.apply(OPERATOR, plan(*(node(f"n{{i}}", "word " * 50, text="x" * 500) for i in range(2000))))
        raise SystemExit("not full")
    except Unavailable as error:
        assert "store.sqlite3" in str(error) and error.advice, error
with store.read(OPERATOR) as view:
    assert len(view.snapshot(["facts"], SHARED)) == view.seq == 1
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
assert store.apply(OPERATOR, plan(node("new"))).seq == 2
assert store.verify() == ()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    with store.read(OPERATOR) as view:
        assert set(view.get(["old", "new"], SHARED)) == {"old", "new"}
    store.close()


def test_a_read_only_folder_is_a_typed_error_that_names_the_path(tmp_path):
    code = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from fakes.clock import FakeClock
from remora.adapters.sqlite.store import open_store
from remora.core.errors import Unavailable
from store_shapes import *
folder = Path(sys.argv[1])
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
for place in (folder / "store.sqlite3", folder / "deeper" / "store.sqlite3"):
    try:
        open_store(place, REPO, FakeClock())
        raise SystemExit("opened")
    except Unavailable as error:
        assert str(place) in str(error), error
"""
    folder = tmp_path / "locked"
    folder.mkdir()
    for parent in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        parent.chmod(parent.stat().st_mode | 0o011)
    folder.chmod(0o555)
    subprocess.run([sys.executable, "-B", "-c", code, str(folder)], check=True, timeout=60)


def grep(folder: Path, *needles: bytes) -> set[bytes]:
    found = set()
    for file in folder.iterdir():
        content = file.read_bytes()
        found |= {needle for needle in needles if needle in content}
    return found


def test_forgotten_bytes_are_gone_from_every_file(path):
    store = opened(path)
    secret = node("secret-id", "zzsecretword", text="the secret sentence")
    private = node("private-id", "zzprivateword", scope=MINE, text="the private sentence")
    store.apply(OPERATOR, plan(*(node(f"n{i}", f"word{i} other", text="x" * 300) for i in range(200))))
    store.apply(OPERATOR, plan(secret, private, result="about the secret sentence"), idempotency_key="k")
    store.apply(OPERATOR, plan(edge("secret-id", "n1", words="zzedgeword", note="the edge sentence")))
    store.apply(OPERATOR, plan(vectors=[vector("secret-id", 1.5, -7.25, 3.125)]))
    needles = (b"zzsecretword", b"secret sentence", b"zzedgeword", b"edge sentence", floats(1.5, -7.25, 3.125),
               b"zzprivateword", b"private sentence", b"session:s1")  # fmt: skip
    assert grep(path.parent, *needles) == set(needles)
    store.apply(OPERATOR, plan(drop=["secret-id"]))
    assert store.drop_scope(OPERATOR, MINE) == 1
    assert grep(path.parent, *needles) == set()
    assert store.verify() == ()
    store.close()


def test_scrubbing_waits_for_readers_and_says_when_they_stay(path):
    store = opened(path, busy_timeout_seconds=0.3)
    store.apply(OPERATOR, plan(node("m", "zzprivateword", scope=MINE)))
    with store.read(OPERATOR), pytest.raises(Unavailable, match="journal"):
        store.drop_scope(OPERATOR, MINE)
    with store.read(OPERATOR) as view:
        assert view.counts((MINE,)) == {}
    store.scrub()
    assert grep(path.parent, b"zzprivateword") == set()
    store.close()


def test_a_busy_reader_in_a_thread_does_not_keep_scrubbing_from_its_end(path):
    store = opened(path)
    store.apply(OPERATOR, plan(node("m", "zzprivateword", scope=MINE)))
    stop = threading.Event()

    def read():
        while not stop.is_set():
            with store.read(OPERATOR) as view:
                view.counts((MINE,))
                time.sleep(0.005)

    thread = threading.Thread(target=read)
    thread.start()
    store.drop_scope(OPERATOR, MINE)
    assert grep(path.parent, b"zzprivateword") == set()
    stop.set()
    thread.join(10)
    store.close()


def filled(path):
    store = opened(path)
    items = [node(f"n{i:03}", f"word{i % 7} common", text="some text " * 4) for i in range(60)]
    items += [edge(f"n{i:03}", f"n{i + 1:03}", words=f"word{i % 5}", note="why") for i in range(59)]
    store.apply(OPERATOR, plan(*items, vectors=[vector(f"n{i:03}", i, 1, 2) for i in range(30)]))
    store.apply(OPERATOR, plan(drop=["n059"], result={"dropped": 1}), idempotency_key="k")
    with store.read(OPERATOR) as view:
        truth = {item.id: item for item in view.snapshot(["facts"], SHARED)}
    store.close()
    return truth


def everything_read(store):
    """Every item that any read hands out, and whether a read refused."""
    items, refused = [], False

    def attempt(read):
        nonlocal refused
        try:
            with store.read(OPERATOR) as view:
                items.extend(read(view))
        except (Corrupt, Unavailable):
            refused = True

    attempt(lambda view: view.snapshot(["facts"], SHARED))
    attempt(lambda view: view.get([f"n{i:03}" for i in range(60)], SHARED).values())
    attempt(lambda view: view.scan("facts", "fact", SHARED, limit=99, newest_first=True)[0])
    attempt(lambda view: view.text_candidates(["facts"], SHARED, ["word1"], ["comm"], limit=20).items)
    attempt(
        lambda view: [
            item for item, _ in view.vector_candidates(["facts"], SHARED, "m", floats(1, 1, 2), floor=0, limit=9)
        ]
    )
    attempt(lambda view: view.expand(["n003", "n030"], SHARED, labels=["fact"], hops=2, per_node=9, limit=9).edges)
    attempt(lambda view: view.vectors_missing(["facts"], SHARED, "m", limit=99))
    attempt(lambda view: (view.changes(0, limit=9), view.counts(SHARED), ())[2])
    return items, refused


def damage(path, pristine, rng):
    content = bytearray(pristine)
    kind = rng.randrange(4)
    if kind == 0:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        start = rng.randrange(len(content))
        content[start : start + 64] = bytes(len(content[start : start + 64]))
    elif kind == 2:
        start = rng.randrange(len(content))
        content[start : start + 16] = rng.randbytes(len(content[start : start + 16]))
    else:
        del content[rng.randrange(1, len(content)) :]
    path.write_bytes(content)


def check_damaged(path, truth):
    try:
        store = opened(path, busy_timeout_seconds=0.2)
    except RemoraError as error:
        if str(path) not in str(error):
            raise
        return
    try:
        items, refused = everything_read(store)
        for item in items:
            assert truth[item.id] == item, "altered content was served"
        missing = len({item.id for item in items}) < len(truth)
        if missing and not refused:
            with contextlib.suppress(Corrupt, Unavailable):
                assert store.verify(), "something is missing and nothing says so"
        with contextlib.suppress(Corrupt, Unavailable):
            store.apply(OPERATOR, plan(node("n001", "fresh"), drop=["n002"]))
    finally:
        store.close()


def damaged_rounds(path, rounds, seed):
    truth = filled(path)
    pristine = path.read_bytes()
    rng = random.Random(seed)
    for _ in range(rounds):
        for rest in path.parent.glob("store.sqlite3-*"):
            rest.unlink()
        damage(path, pristine, rng)
        check_damaged(path, truth)


def test_a_damaged_file_never_crashes_and_never_serves_altered_items(path):
    damaged_rounds(path, 100, seed=1)


@pytest.mark.slow
def test_many_damaged_files_never_crash_and_never_serve_altered_items(path):
    damaged_rounds(path, 5_000, seed=2)


def test_an_altered_row_is_named_by_verify_while_all_others_are_served(path):
    truth = filled(path)
    con = apsw.Connection(str(path))
    con.execute("UPDATE item SET payload = CAST(replace(payload, 'text', 'tExt') AS BLOB) WHERE id = 'n005'")
    con.close()
    store = opened(path)
    assert any("n005" in line for line in store.verify())
    with store.read(OPERATOR) as view:
        assert {item.id for item in view.snapshot(["facts"], SHARED)} == set(truth) - {"n005"}
        assert len(view.get(["n004", "n006"], SHARED)) == 2
        with pytest.raises(Corrupt, match="n005"):
            view.get(["n005"], SHARED)
        assert len(view.get(["n004", "n006"], SHARED)) == 2
    assert store.health()["damaged_items_met"] == 1
    store.apply(OPERATOR, plan(node("n005", "fresh")))
    assert store.verify() == ()
    store.close()


def test_a_damaged_row_can_be_dropped_for_good(path):
    filled(path)
    con = apsw.Connection(str(path))
    con.execute("UPDATE item SET crc = 0 WHERE id IN ('n005', 'n006-USES-n007')")
    con.close()
    store = opened(path)
    store.apply(OPERATOR, plan(drop=["n005", "n006-USES-n007"]))
    assert store.verify() == ()
    store.close()


def test_a_store_cut_to_nothing_but_its_header_is_named(path):
    filled(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(Corrupt, match=r"store\.sqlite3"):
        opened(path)
