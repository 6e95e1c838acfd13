"""A rename is told by three witnesses: the line that declares, the body that stays, the names themselves."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.declarations import DeclarationPair
from remora.core.capture.patch import FilePatch, Hunk, Span
from remora.core.capture.renames import akin, guessed_renames, parsed_renames


def renamed(hunks: list[Hunk], old: list[Span], new: list[Span]) -> list[tuple[str, str]]:
    found = parsed_renames(FilePatch("a.py", "a.py", "1", "2", hunks), old, new)
    return [(before.qualified, after.qualified) for before, after, _ in found]


def declares(old: str, new: str, at: int = 1, more: int = 0) -> Hunk:
    """The line that declares one thing becomes another's, and `more` lines follow it."""
    return Hunk(at, 1, at, 1 + more, [f"def {old}(a):".encode()], [f"def {new}(a):".encode(), *[b"    x"] * more])


def test_names_that_share_a_word_are_a_rename_whatever_became_of_the_body() -> None:
    rewritten = [declares("get_serializer", "get_signing_serializer"), Hunk(2, 9, 2, 9)]
    whole = [Span("get_serializer", 1, 10)], [Span("get_signing_serializer", 1, 10)]
    assert renamed(rewritten, *whole) == [("get_serializer", "get_signing_serializer")]
    strangers = [declares("fill", "write"), Hunk(2, 9, 2, 9)]
    assert renamed(strangers, [Span("fill", 1, 10)], [Span("write", 1, 10)]) == []


def test_a_body_that_only_grew_goes_along() -> None:
    grown = declares("_record", "keep", more=20)
    assert renamed([grown], [Span("_record", 1, 6)], [Span("keep", 1, 26)]) == [("_record", "keep")]


def test_a_body_goes_along_when_its_old_name_is_given_to_something_new() -> None:
    hunks = [declares("value", "resolved"), Hunk(20, 0, 21, 6, [], [b"def value(a):", *[b"    y"] * 5])]
    new = [Span("resolved", 1, 10), Span("value", 21, 26)]
    assert renamed(hunks, [Span("value", 1, 10)], new) == [("value", "resolved")]


def test_names_that_changed_places_are_no_renames() -> None:
    hunks = [declares("one", "two"), declares("two", "one", at=20)]
    sides = [Span("one", 1, 10), Span("two", 20, 30)], [Span("two", 1, 10), Span("one", 20, 30)]
    assert renamed(hunks, *sides) == []


def test_a_body_is_followed_when_the_whole_line_that_declares_it_changed() -> None:
    changed = Hunk(1, 1, 1, 1, [b"def send(a, b):"], [b"async def deliver(message):"])
    assert renamed([changed], [Span("send", 1, 12)], [Span("deliver", 1, 12)]) == [("send", "deliver")]
    short = [Span("send", 1, 3)], [Span("deliver", 1, 3)]
    assert renamed([changed], *short) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Context.Fail", "Context.AbortWithError"),
        ("Ctx::fail", "Ctx::abort"),
        ("Builder.withName", "Builder.named"),
        ("app.del", "app.delete"),
    ],
)
def test_members_of_any_language_are_followed_by_their_bodies(old: str, new: str) -> None:
    changed = Hunk(5, 1, 5, 1, [b"x"], [b"y"])
    assert renamed([changed], [Span(old, 5, 15)], [Span(new, 5, 15)]) == [(old, new)]


def test_lines_alone_are_believed_only_when_nothing_else_explains_them() -> None:
    assert [(before.qualified, after.qualified) for before, after, _ in guessed_renames([declares("a1", "b1")])] == [
        ("a1", "b1")
    ]
    moved = [declares("a1", "b1"), Hunk(9, 1, 9, 0, [b"def b1(a):"], [])]
    assert list(guessed_renames(moved)) == []


@pytest.mark.parametrize(
    ("old", "new", "related"),
    [
        ("get_send_file_options", "get_send_file_max_age", True),
        ("_record", "record", True),
        ("splitLine", "LineJoiner", True),
        ("test_one", "test_other", False),
        ("getX", "setX", False),
        ("a", "b", False),
    ],
)
def test_words_that_say_nothing_relate_no_names(old: str, new: str, related: bool) -> None:
    assert akin(DeclarationPair(old, new, 1, 1, True)) is related


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 4), st.integers(0, 4)), max_size=6), st.data())
def test_whatever_changed_no_definition_is_renamed_twice(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    shift, hunks = 0, []
    for start, gone, added in sorted(rows):
        if gone or added:
            hunks.append(
                Hunk(start - (not gone), gone, start + shift - (not added), added, [b"x"] * gone, [b"y"] * added)
            )
            shift += added - gone
    cuts = sorted(data.draw(st.sets(st.integers(1, 90), max_size=6)))
    old = [Span(f"o{first}", first, last - 1) for first, last in pairwise(cuts)]
    new = [Span(f"n{first}", first, last - 1) for first, last in pairwise(cuts)]
    found = renamed(hunks, old, new)
    assert len({before for before, _ in found}) == len(found)
