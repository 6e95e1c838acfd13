"""A change is acted on once, when nothing more changes."""

from hypothesis import given
from hypothesis import strategies as st

from remora.core import policy
from remora.core.codegraph.settling import Settling
from remora.core.codegraph.snapshot import FileStamp, Listing


def listing(state: int, commit: str = "") -> Listing:
    return Listing({"a.py": FileStamp(state, 0, 0, 0)}, {}, commit)


def test_the_first_look_is_acted_on_at_once_and_only_once() -> None:
    settling = Settling()
    assert settling.look(listing(1), 0.0)
    assert not settling.look(listing(1), 5.0)


def test_a_burst_of_saves_is_one_change() -> None:
    settling = Settling(quiet_seconds=0.5)
    settling.look(listing(1), 0.0)
    assert not settling.look(listing(2), 1.0)
    assert not settling.look(listing(3), 1.3)
    assert not settling.look(listing(3), 1.7)
    assert settling.look(listing(3), 1.9)
    assert not settling.look(listing(3), 9.0)


def test_a_new_commit_alone_is_a_change() -> None:
    settling = Settling(quiet_seconds=0.5)
    settling.look(listing(1, "a"), 0.0)
    settling.look(listing(1, "b"), 1.0)
    assert settling.look(listing(1, "b"), 2.0)


def test_looking_never_takes_more_than_its_share() -> None:
    settling = Settling()
    settling.look(listing(1), 0.0)
    assert settling.pause(0.0) == policy.WATCH_POLL_SECONDS
    assert settling.pause(1.0) == policy.WATCH_COST_FACTOR


@given(st.lists(st.integers(0, 3), min_size=1))
def test_the_last_state_is_always_acted_on_in_the_end(states: list[int]) -> None:
    settling = Settling(quiet_seconds=0.5)
    acted = [state for now, state in enumerate(states) if settling.look(listing(state), float(now))]
    settled = settling.look(listing(states[-1]), len(states) + 1.0)
    assert settled or acted[-1] == states[-1]
