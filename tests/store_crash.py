"""Kill a writing process again and again and see that nothing acknowledged is lost and nothing is torn.

Run as a program of its own (it forks): `python store_crash.py STORE ROUNDS SEED`.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from fakes.clock import FakeClock
from remora.adapters.sqlite.store import SqliteStore, open_store
from store_shapes import OPERATOR, REPO, SHARED, edge, node, plan


def write_for_ever(path: Path, first: int, acknowledge: int) -> None:
    """Write pairs that belong together, drop old ones, and say each number once it is durable."""
    store = open_store(path, REPO, FakeClock())
    number = first
    while True:
        left, right = f"l{number}", f"r{number}"
        old = [f"l{number - 300}", f"r{number - 300}"] if number % 2 else []
        store.apply(OPERATOR, plan(node(left, "w one"), node(right, "w two"), edge(left, right, words="x y"), drop=old))
        os.write(acknowledge, f"{number}\n".encode())
        number += 1


def one_round(path: Path, first: int, delay_seconds: float) -> int:
    """Fork a writer, kill it after the delay; returns the last number it acknowledged."""
    receive, acknowledge = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receive)
            write_for_ever(path, first, acknowledge)
        finally:
            os._exit(1)
    os.close(acknowledge)
    said = os.read(receive, 1) if random.random() < 0.8 else b""
    time.sleep(delay_seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while chunk := os.read(receive, 65536):
        said += chunk
    os.close(receive)
    numbers = [int(line) for line in said.split(b"\n")[:-1]]
    assert numbers == list(range(first, first + len(numbers)))
    return first + len(numbers) - 1


def check(store: SqliteStore, last: int) -> int:
    """All acknowledged pairs are there, at most one more is, none is half; returns the next free number."""
    with store.read(OPERATOR) as view:
        whole = {item.id for item in view.snapshot(["facts"], SHARED)}
        newest = last + 1 if f"l{last + 1}" in whole else last
        for number in range(max(1, newest - 299), newest + 1):
            trio = {f"l{number}", f"r{number}", f"l{number}-USES-r{number}"}
            assert trio <= whole, f"pair {number} of {last} acknowledged is lost or torn"
        assert f"l{newest + 1}" not in whole
        assert f"r{newest + 1}" not in whole
    return newest + 1


def main() -> None:
    path, rounds, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    random.seed(seed)
    following = 1
    for count in range(rounds):
        last = one_round(path, following, random.random() * 0.02)
        store = open_store(path, REPO, FakeClock())
        following = check(store, last)
        if count % 10 == 0 or count == rounds - 1:
            assert store.verify() == ()
        store.close()
    print(f"{rounds} kills, {following - 1} writes, none lost")


if __name__ == "__main__":
    main()
