"""What the contents of files say about a query."""

from hypothesis import given
from hypothesis import strategies as st

from remora.core.locate.contents import file_words, score_contents
from remora.core.locate.held import gathered

SESSIONS = b'class SessionStore:\n    def refresh_token(self):\n        "Rotate the key."\n'
OTHER = b"# Notes\n\nKeys of sessions are rotated elsewhere.\n" + b"filler words stand here\n" * 30 + b"token\n"


def test_words_are_found_with_their_lines_and_declared_names_apart() -> None:
    words = file_words(SESSIONS)
    assert words is not None
    assert list(words.lines["rotat"]) == [2]
    assert "refresh" in words.declared
    assert "rotat" not in words.declared


def test_a_binary_file_has_no_words() -> None:
    assert file_words(b"\x7fELF\0\0\1") is None


def test_words_that_stand_together_make_a_better_passage_than_words_far_apart() -> None:
    contents = gathered({"a.py": file_words(SESSIONS), "b.md": file_words(OTHER)}, ["token", "rotat"])
    scores = score_contents(contents, ["token", "rotat"])
    assert scores.passage["a.py"] > scores.passage["b.md"]
    assert scores.passage_line["a.py"] == 1


def test_unread_files_are_listed_and_counted() -> None:
    contents = gathered({"logo.png": None, "a.py": file_words(SESSIONS)}, ["token"])
    assert contents.unread == 1
    assert contents.lengths["logo.png"] == 0


@given(st.binary(max_size=400))
def test_any_bytes_can_be_read(data: bytes) -> None:
    words = file_words(data)
    assert words is None or words.declared <= words.lines.keys()


@given(st.lists(st.sampled_from(["alpha", "beta", "gamma"]), max_size=12), st.integers(1, 3))
def test_scores_do_not_depend_on_the_order_of_files(words: list[str], count: int) -> None:
    texts = {f"f{number}.py": file_words("\n".join(words[number:]).encode()) for number in range(count)}
    terms = ["alpha", "beta"]
    first = score_contents(gathered(texts, terms), terms)
    again = score_contents(gathered(dict(reversed(texts.items())), terms), terms)
    assert dict(first.text) == dict(again.text)
    assert dict(first.passage) == dict(again.passage)
