"""A commit is anchored on what it touched, and a rename is told from a replacement."""

from remora.core.capture.patch import CommitPatch, FilePatch, Hunk, Span
from remora.core.capture.symbols import SpanFinder, touched_symbols
from remora.core.policy import COMMIT_ANCHORS_MAX

SHA = "c" * 40


def patch(*hunks: Hunk, old: str = "a.py", new: str = "a.py", truncated: int = 0) -> CommitPatch:
    return CommitPatch(
        SHA, [FilePatch(old, new, "1111" if old else "0000", "2222" if new else "0000", list(hunks))], truncated
    )


def labels(of: CommitPatch, old: list[Span], new: list[Span]) -> list[str]:
    spans = {("a.py", "1111"): old, ("a.py", "2222"): new}
    return [anchor.label for anchor in touched_symbols(of, spans).anchors]


FILE = [Span("C", 1, 20), Span("C.first", 2, 8), Span("C.second", 9, 20), Span("after", 30, 40)]


def test_every_definition_around_a_touched_line_is_anchored() -> None:
    assert labels(patch(Hunk(5, 1, 5, 1)), FILE, FILE) == ["C", "C.first"]
    assert labels(patch(Hunk(8, 2, 8, 2)), FILE, FILE) == ["C", "C.first", "C.second"]
    assert labels(patch(Hunk(25, 1, 25, 1)), FILE, FILE) == []


def test_a_deletion_between_two_definitions_touches_neither() -> None:
    assert labels(patch(Hunk(21, 3, 20, 0)), FILE, FILE) == []
    assert labels(patch(Hunk(12, 3, 12, 0)), FILE, FILE) == ["C", "C.second"]


def test_what_is_gone_is_anchored_by_its_old_name() -> None:
    assert labels(patch(Hunk(30, 11, 29, 0)), FILE, FILE[:3]) == ["after"]
    assert labels(patch(Hunk(1, 40, 0, 0), new=""), FILE, []) == ["C", "C.first", "C.second", "after"]


def rename(old_end: int, new_end: int, *hunks: Hunk) -> list[tuple[str, str, float]]:
    first = Hunk(1, 1, 1, 1, [b"def old(a):"], [b"def new(a):"])
    spans = {("a.py", "1111"): [Span("old", 1, old_end)], ("a.py", "2222"): [Span("new", 1, new_end)]}
    found = touched_symbols(patch(first, *hunks), spans).renames
    return [(change.old.label, change.new.label, change.confidence) for change in found]


def test_a_definition_that_kept_its_body_was_renamed() -> None:
    assert rename(10, 10) == [("old", "new", 0.9)]
    assert rename(10, 10, Hunk(3, 2, 3, 2)) == [("old", "new", 0.9)]
    assert rename(1, 1) == [("old", "new", 0.9)]


def test_members_of_a_renamed_class_are_renamed_with_it() -> None:
    first = Hunk(1, 1, 1, 1, [b"class Old:"], [b"class New:"])
    spans = {
        ("a.py", "1111"): [Span("Old", 1, 30), Span("Old.run", 2, 9), Span("Old.gone", 10, 12)],
        ("a.py", "2222"): [Span("New", 1, 30), Span("New.run", 2, 9), Span("New.added", 10, 12)],
    }
    found = touched_symbols(patch(first), spans).renames
    assert [(change.old.label, change.new.label) for change in found] == [("Old", "New"), ("Old.run", "New.run")]


def test_a_definition_with_another_body_was_replaced() -> None:
    assert rename(10, 10, Hunk(2, 9, 2, 9)) == []
    assert rename(30, 4, Hunk(2, 29, 2, 3)) == []


def test_a_name_that_is_still_defined_was_not_renamed() -> None:
    first = Hunk(1, 1, 1, 1, [b"def old(a):"], [b"def new(a):"])
    spans = {
        ("a.py", "1111"): [Span("old", 1, 5), Span("new", 9, 12)],
        ("a.py", "2222"): [Span("new", 1, 5), Span("old", 9, 12)],
    }
    assert touched_symbols(patch(first), spans).renames == ()


def test_languages_without_a_parser_are_guessed_with_less_confidence() -> None:
    first = Hunk(1, 1, 1, 1, [b"sub old {"], [b"sub new {"])
    (change,) = touched_symbols(patch(first, old="a.pl", new="a.pl"), {}).renames
    assert touched_symbols(patch(first, old="a.md", new="a.md"), {}).renames == ()
    assert (change.old.label, change.new.label, change.confidence) == ("old", "new", 0.6)


def test_a_sweep_is_capped_with_its_count_and_keeps_the_innermost() -> None:
    spans = [Span("outer", 1, 30_000), *(Span(f"f{n:04}", 10 * n + 2, 10 * n + 5) for n in range(2_500))]
    sweep = patch(*(Hunk(10 * n + 3, 1, 10 * n + 3, 1) for n in range(2_500)), truncated=7)
    found = touched_symbols(sweep, {("a.py", "1111"): spans, ("a.py", "2222"): spans})
    assert len(found.anchors) == COMMIT_ANCHORS_MAX
    assert "outer" not in {anchor.label for anchor in found.anchors}
    assert found.notes == (
        "anchors_capped: 2000 of 2501 touched symbols kept, innermost first",
        "patch_capped: 7 changed lines were not looked at for symbols",
    )


def test_each_blob_is_read_and_parsed_once() -> None:
    read: list[str] = []

    def contents(blobs: list[str]) -> list[bytes | None]:
        read.extend(blobs)
        return [None if blob == "2222" else b"" for blob in blobs]

    finder = SpanFinder(lambda path: path.endswith(".py"), lambda _path, _data: [Span("f", 1, 1)], contents)  # type: ignore[arg-type]
    edit = patch(Hunk(1, 1, 1, 1))
    assert finder.find([edit]) == {("a.py", "1111"): [Span("f", 1, 1)]}
    assert finder.find([edit, patch(Hunk(1, 1, 1, 1), old="b.txt", new="b.txt")]) == {
        ("a.py", "1111"): [Span("f", 1, 1)]
    }
    assert read == ["1111", "2222"]
