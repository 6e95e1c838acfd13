"""Work that waits for quiet: once per burst, with the newest task, interrupted by new requests, never for ever."""

import threading
import time

from remora.adapters.idle_worker import IdleWorker

QUIET = 0.05


def until(condition) -> bool:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def test_a_burst_of_requests_is_one_piece_of_work_with_the_newest_task() -> None:
    done: list[int] = []
    worker = IdleWorker(lambda task, going_on: done.append(task), QUIET)
    for task in range(20):
        worker.request(task)
    assert done == []
    assert until(lambda: done == [19])
    worker.request(20)
    assert until(lambda: done == [19, 20])


def test_a_new_request_asks_the_running_work_to_stop_and_is_done_after_it() -> None:
    begun, seen = threading.Event(), []

    def work(task, going_on) -> None:
        begun.set()
        if task == "long":
            until(lambda: not going_on())
        seen.append((task, going_on()))

    worker = IdleWorker(work, QUIET)
    worker.request("long")
    assert begun.wait(10)
    worker.request("next")
    assert until(lambda: len(seen) == 2)
    assert seen == [("long", False), ("next", True)]


def test_work_that_fails_is_tried_again_with_the_next_request(caplog) -> None:
    tried: list[str] = []

    def work(task, going_on) -> None:
        tried.append(task)
        if len(tried) == 1:
            raise ValueError("no")

    worker = IdleWorker(work, QUIET)
    worker.request("a")
    assert until(lambda: tried == ["a"])
    worker.request("b")
    assert until(lambda: tried == ["a", "b"])
    assert "background failed" in caplog.text
