"""Settings that others own are patched by insertion only: foreign bytes stay, and what was added can be taken back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jsonc_documents import blank, document
from remora.core.clients.draft import Draft, without
from remora.core.clients.jsonc import scan, value_of
from remora.core.errors import InvalidInput

ITEM = {"hooks": [{"type": "command", "command": "ours"}]}
PATH = ("hooks", "SessionStart")


def added(text: str, path: tuple[str, ...] = PATH) -> Draft:
    draft = Draft(text)
    draft.append(path, ITEM)
    return draft


def plain(text: str) -> object:
    return value_of(text, scan(text))


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }\n",
        "{\n}\n",
        '{"a": 1}',
        '{"a": 1,}',
        '{\n  "a": 1\n}\n',
        '{\r\n\t"a": 1, // why\r\n}\r\n',
        '{\n    "a": 1 // trailing, comment\n    // "hooks": off\n}',
        '{"hooks": {}}',
        '{"hooks": {"SessionStart": []}}',
        '{"hooks": {"SessionStart": [ {"hooks": []}, /* x, y */ ]}}',
        '\ufeff{\n  "hooks": {\n    "Stop": [1] // mine\n  }\n}',
    ],
)
def test_what_was_inserted_can_be_cut_out_again_to_the_byte(text: str) -> None:
    draft = added(text)
    assert ITEM in plain(draft.text)["hooks"]["SessionStart"]  # type: ignore[index]
    assert without(draft.text, draft.spans) == text


def test_a_comment_stays_beside_the_line_it_explains() -> None:
    draft = added('{\n  "a": 1 // why a is one\n}\n')
    assert '"a": 1, // why a is one\n' in draft.text


def test_the_files_own_indent_and_line_ends_are_used() -> None:
    draft = added('{\r\n\t"a": 1\r\n}\r\n')
    assert "\n" not in draft.text.replace("\r\n", "")
    assert '\r\n\t"hooks": {\r\n\t\t"SessionStart": [\r\n' in draft.text


def test_a_one_line_object_stays_on_one_line() -> None:
    draft = Draft('{"a": {"b": 1}}')
    draft.put(("a", "c"), 2)
    assert draft.text == '{"a": {"b": 1, "c": 2}}'


@pytest.mark.parametrize(
    "text", ['{"hooks": []}', '{"hooks": {"SessionStart": {}}}', "[]", '{"hooks": {}, "hooks": {}}']
)
def test_a_shape_that_is_not_ours_to_guess_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        added(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a": 1',
        "{a: 1}",
        '{"a" 1}',
        "{'a': 1}",
        '{"a": 01}',
        "{} x",
        "{/*",
        '{"a": NaN}',
        "[" * 5000,
        '{"a": "\x01"}',
    ],
)
def test_what_cannot_be_parsed_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"line|levels"):
        Draft(text)


@given(document(), blank)
def test_any_document_keeps_its_values_and_gets_its_bytes_back(text: str, end: str) -> None:
    before = plain(text)
    draft = added(text + end)
    after = plain(draft.text)
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert after["hooks"]["SessionStart"][-1] == ITEM
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    assert without(draft.text, draft.spans) == text + end


@given(st.lists(document(), min_size=1, max_size=3), blank, blank, st.booleans())
def test_cutting_by_structure_restores_an_array_that_had_items(
    items: list[str], before: str, end: str, comma: bool
) -> None:
    body = ",".join(before + item for item in items) + ("," if comma else "") + end
    text = '{\n  "hooks": {\n    "SessionStart": [' + body + "]\n  }\n}\n"
    draft = Draft(added(text).text)
    draft.cut(PATH, len(items))
    assert draft.text == text


def test_cutting_from_the_middle_keeps_the_neighbours_and_their_comments() -> None:
    draft = Draft('{"a": [\n  1, // one\n  2, // two\n  3 // three\n]}')
    draft.cut(("a",), 1)
    assert plain(draft.text) == {"a": [1, 3]}
    assert all(comment in draft.text for comment in ("// one\n", "// two\n", "// three\n"))


def test_cutting_after_a_line_comment_does_not_swallow_what_follows() -> None:
    draft = Draft('{"a": [1, // one\n 2, 3]}')
    draft.cut(("a",), 1)
    assert plain(draft.text) == {"a": [1, 3]}
