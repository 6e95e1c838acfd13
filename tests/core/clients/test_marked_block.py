"""A block of ours in a file of others: refreshed in place, taken out to the byte, never guessed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.clients.marked_block import HASH, MARKDOWN, cut_block, find_block, put_block
from remora.core.errors import InvalidInput

BODY = "one\ntwo\n"
texts = st.lists(st.sampled_from(["a", "", "# b", "é\r", "c\r\n", "\n", "\r\n", "  ", "<!-- x -->"]), max_size=8).map(
    "".join
)


@given(texts, st.sampled_from([MARKDOWN, HASH]), st.booleans())
def test_a_block_put_and_cut_restores_the_text(text: str, markers, gap: bool) -> None:
    once = put_block(text, markers, BODY, gap=gap)
    assert put_block(once, markers, BODY, gap=gap) == once
    assert cut_block(once, markers, gap=gap) == text


@given(texts)
def test_a_refreshed_block_is_still_taken_out_to_the_byte(text: str) -> None:
    refreshed = put_block(put_block(text, MARKDOWN, BODY), MARKDOWN, "three\n")
    assert "one" not in refreshed
    assert cut_block(refreshed, MARKDOWN) == text


def test_a_file_made_for_the_block_is_removed_with_it() -> None:
    made = put_block(None, HASH, BODY, gap=False, first_line="#!/bin/sh\n")
    assert made.startswith("#!/bin/sh\n# >>> remora >>>")
    assert cut_block(made, HASH, gap=False, first_line="#!/bin/sh\n") is None
    assert cut_block(made + "echo mine\n", HASH, gap=False, first_line="#!/bin/sh\n") == "#!/bin/sh\necho mine\n"


def test_text_written_after_the_block_stays() -> None:
    once = put_block("# Title", MARKDOWN, BODY)
    assert cut_block(once + "later\n", MARKDOWN) == "# Title\nlater\n"


def test_the_files_line_ends_are_used() -> None:
    assert "\n" not in put_block("# Title\r\n", MARKDOWN, BODY).replace("\r\n", "")


@pytest.mark.parametrize(
    "torn", ["<!-- remora:begin -->\n", "<!-- remora:end -->\n", "<!-- remora:begin -->\n<!-- remora:end -->\n" * 2]
)
def test_torn_or_doubled_markers_are_refused(torn: str) -> None:
    with pytest.raises(InvalidInput):
        put_block(torn, MARKDOWN, BODY)


def test_markers_quoted_inside_a_line_are_no_block() -> None:
    assert find_block("see `<!-- remora:begin -->`\n", MARKDOWN) is None
