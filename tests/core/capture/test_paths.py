"""File names of any bytes survive as clean text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remora.core.capture.paths import is_inside, raw_path, stored_path


@given(st.binary(max_size=60))
@example(b"bad-\xff.py")
@example(b"\\xff \xff \\x5c \\\xff")
@example("\ud800".encode("utf-8", "surrogatepass"))
def test_any_name_round_trips_without_lone_surrogates(name: bytes) -> None:
    stored = stored_path(name)
    stored.encode("utf-8")
    assert raw_path(stored) == name


@given(st.binary(max_size=12), st.binary(max_size=12))
def test_two_names_never_share_a_stored_form(first: bytes, second: bytes) -> None:
    assert (stored_path(first) == stored_path(second)) == (first == second)


@pytest.mark.parametrize("name", ["a b.py", '中文".txt', "tab\t.py", "new\nline", "-rf", "é", "😀.md", "a\\b"])
def test_a_name_in_utf8_is_stored_as_it_is(name: str) -> None:
    assert stored_path(name.encode()) == name


def test_an_undecodable_byte_is_shown_as_its_hex() -> None:
    assert stored_path(b"bad-\xff.py") == "bad-\\xff.py"


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../b", "a/..", "..", "a\0b", "x" * 5000])
def test_paths_that_leave_the_repository_are_refused(path: str) -> None:
    assert not is_inside(path)


@pytest.mark.parametrize("path", ["a", "a/b.py", "a..b/c", "...", "..a/b..", "C:x"])
def test_ordinary_paths_stay(path: str) -> None:
    assert is_inside(path)
