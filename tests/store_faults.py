"""Fail, or die, at every single file operation of a store's life, one after the other.

Run as a program of its own (it forks and replaces SQLite's file layer):
`python store_faults.py FOLDER full|io|kill STRIDE`.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import apsw

from fakes.clock import FakeClock
from remora.adapters.sqlite.store import SqliteStore, open_store
from remora.core.errors import Unavailable
from remora.core.scope import session_scope
from store_shapes import OPERATOR, REPO, SHARED, edge, node, plan

MINE = session_scope("s1")
countdown = -1
fault: Callable[[], None] = lambda: None  # noqa: E731 - replaced by the mode


def operation() -> None:
    """Count one file operation; the fault happens at the chosen one and, being a state of the disk, at all after it."""
    global countdown  # noqa: PLW0603 - the file layer has no other way to be told
    if countdown > 0:
        countdown -= 1
    if countdown == 0:
        fault()


class FaultyFile(apsw.VFSFile):
    """A file whose writing calls count."""

    def __init__(self, name: object, flags: list[int]) -> None:
        super().__init__("unix", name, flags)  # type: ignore[arg-type]

    def xWrite(self, data: bytes, offset: int) -> None:
        operation()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        operation()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        operation()
        super().xTruncate(size)


class FaultyDisk(apsw.VFS):
    """The file layer that SQLite uses in this process."""

    def __init__(self) -> None:
        super().__init__("faulty", "unix", makedefault=True)

    def xOpen(self, name: object, flags: list[int]) -> FaultyFile:
        return FaultyFile(name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        operation()
        super().xDelete(name, sync)


def full() -> None:
    raise apsw.FullError("the disk is full")


def broken() -> None:
    raise apsw.IOError("the disk is broken")


STEPS: dict[str, Callable[[SqliteStore], object]] = {
    "base": lambda store: store.apply(OPERATOR, plan(node("a", "fox"), node("b"), edge("a", "b", words="x"))),
    "many": lambda store: store.apply(OPERATOR, plan(*(node(f"n{i}", f"w{i} v", text="x" * 400) for i in range(30)))),
    "mine": lambda store: store.apply(OPERATOR, plan(node("m", "secret", scope=MINE), node("m2", scope=MINE))),
    "gone": lambda store: store.drop_scope(OPERATOR, MINE),
    "drop": lambda store: store.apply(OPERATOR, plan(drop=[f"n{i}" for i in range(0, 30, 2)])),
    "lease": lambda store: store.lease("l", "h", 5),
}
EFFECTS = {
    "base": lambda ids: {"a", "b", "a-USES-b"} <= ids,
    "many": lambda ids: {f"n{i}" for i in range(1, 30, 2)} <= ids,
    "mine": lambda ids: True,
    "gone": lambda ids: not {"m", "m2"} & ids,
    "drop": lambda ids: not {f"n{i}" for i in range(0, 30, 2)} & ids,
    "lease": lambda ids: True,
}
WHOLE = [{"a", "b", "a-USES-b"}, {"m", "m2"}, {f"n{i}" for i in range(0, 30, 2)}, {f"n{i}" for i in range(1, 30, 2)}]


def opened(path: Path) -> SqliteStore:
    return open_store(path, REPO, FakeClock(), busy_timeout_seconds=0.02)


def live(path: Path, done: Callable[[str], object]) -> None:
    """All steps in order; each that returned is done."""
    store = opened(path)
    for name, step in STEPS.items():
        step(store)
        done(name)
    store.close()


def check(path: Path, done: list[str], store: SqliteStore | None = None) -> None:
    """What was done is there, nothing is half, and the store works on."""
    store = store or opened(path)
    with store.read(OPERATOR) as view:
        ids = {item.id for item in view.snapshot(["facts"], (*SHARED, MINE))}
    lost = [name for name in done if not EFFECTS[name](ids)]
    torn = [group for group in WHOLE if group & ids and not group <= ids]
    assert not lost, (lost, ids)
    assert not torn, torn
    store.apply(OPERATOR, plan(node("after")))
    store.drop_scope(OPERATOR, MINE)
    assert store.verify() == ()
    store.close()


def failing(path: Path, at: int) -> bool:
    """One life whose disk fails from operation `at` on; False when it came to its end before."""
    global countdown  # noqa: PLW0603 - see `operation`
    done: list[str] = []
    countdown = at
    store = None
    try:
        store = opened(path)
        for name, step in STEPS.items():
            step(store)
            done.append(name)
    except Unavailable as error:
        if "store.sqlite3" not in str(error):
            raise
    if store is not None and countdown == 0:
        read_on(store, done)
        store.close()  # the disk refuses the closing checkpoint, which must not matter
        store = None
    survived = countdown > 0
    countdown = -1
    check(path, done, store)
    check(path, done)
    return not survived


def read_on(store: SqliteStore, done: list[str]) -> None:
    """Reading goes on while the disk refuses to write, or says why not."""
    with contextlib.suppress(Unavailable), store.read(OPERATOR) as view:
        assert view.seq >= len(set(done) - {"lease"})


def dying(path: Path, at: int) -> bool:
    """One life that ends by a kill just before operation `at`; False when it came to its end before."""
    global countdown  # noqa: PLW0603 - see `operation`
    receive, said = os.pipe()
    child = os.fork()
    if child == 0:
        countdown = at
        live(path, lambda name: os.write(said, f"{name}\n".encode()))
        os._exit(0)
    os.close(said)
    with os.fdopen(receive) as pipe:
        done = pipe.read().split()
    survived = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    check(path, done)
    return not survived


def main() -> None:
    global fault  # noqa: PLW0603 - see `operation`
    folder, mode, stride = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    fault = {"full": full, "io": broken, "kill": lambda: os.kill(os.getpid(), 9)}[mode]
    disk = FaultyDisk()
    at = 1
    while (dying if mode == "kill" else failing)(folder / f"{mode}{at}" / "store.sqlite3", at):
        at += stride
    assert at > 40, at
    print(f"{mode}: {at // stride} points")
    del disk


if __name__ == "__main__":
    main()
