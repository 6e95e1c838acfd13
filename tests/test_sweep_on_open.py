"""Opening an embedded store deletes the private memory of sessions that ran out, at most once in a while."""

import os
from pathlib import Path
from typing import Any

from fakes.clock import FakeClock
from remora.adapters.system import SystemClock
from remora.bootstrap import open_ports
from remora.bootstrap.stores import open_store_file, store_path, swept_store
from remora.config import Settings
from remora.core.facts.batch import parse_triple
from remora.core.policy import SESSION_LIFETIME_DAYS, SWEEP_SECONDS
from remora.core.scope import operator_grant
from remora.core.sessions import SessionRef
from remora.usecases.register_session import RegisterSessionRequest, register_session
from remora.usecases.remember import RememberRequest, remember

GRANT = operator_grant(client="tester")
DAY = 86_400_000_000


class Past:
    """The few ports that writing needs, at another time."""

    embedder = None

    def __init__(self, settings: Settings, ports: Any, now: int) -> None:
        self.repository, self.redact, self.clock = ports.repository, ports.redact, FakeClock(now)
        self.store = open_store_file(settings, ports.checkout, self.clock)


def private_items(settings: Settings, ports: Any, *, sweep: bool) -> int:
    open_it = swept_store if sweep else open_store_file
    store = open_it(settings, ports.checkout, SystemClock())
    with store.read(GRANT) as view:
        scopes = [scope for _, _, scope in view.counts(every_scope(view)) if scope.startswith("session:")]
        total = sum(view.counts(scopes).values())
    store.close()
    return total


def every_scope(view: Any) -> list[str]:
    sessions, _ = view.scan("sessions", "Session", ("system",), limit=500)
    return [f"session:{session.id}" for session in sessions]


def test_a_session_that_ran_out_leaves_nothing_once_the_store_is_opened(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    (tmp_path / "project").mkdir()
    ports = open_ports(settings, tmp_path / "project")
    now = SystemClock().now()
    for name, age_days in (("old", SESSION_LIFETIME_DAYS + 1), ("new", 1)):
        past = Past(settings, ports, now - age_days * DAY)
        register_session(past, GRANT, RegisterSessionRequest(session_id=name, client="tester"))
        triple = parse_triple("triple", {"subject": name, "predicate": "SAID", "object": "something"})
        ref = SessionRef(client="tester", session_id=name)
        remember(past, GRANT, RememberRequest(triples=[triple], memory_scope="session", session=ref))
        past.store.close()
    before = private_items(settings, ports, sweep=False)
    after = private_items(settings, ports, sweep=True)
    assert 0 < after < before
    mark = store_path(settings, ports.repository.id).with_suffix(".swept")
    swept_at = mark.stat().st_mtime_ns
    assert private_items(settings, ports, sweep=True) == after
    assert mark.stat().st_mtime_ns == swept_at  # too soon to look again
    long_ago = mark.stat().st_mtime - 2 * SWEEP_SECONDS
    os.utime(mark, (long_ago, long_ago))
    assert private_items(settings, ports, sweep=True) == after
    assert mark.stat().st_mtime_ns > swept_at - 1
