"""Small talk and texts without words are not worth a search; questions always are."""

import pytest

from remora.core.recall.gate import Gated, gate


@pytest.mark.parametrize(
    "text",
    ["hi", "Hello!", "thanks!!", "ok great", "hiiii", "thank you very much", "good morning team", "how are you?",
     "谢谢", "太好了,谢谢", "ありがとうございます", "안녕하세요", "спасибо большое", "نعم شكرا", "धन्यवाद", "ขอบคุณครับ",
     "merci beaucoup", "vielen Dank!", "muchas gracias", "ＯＫ", "got it, thanks 👍", "👍", "🎉🎉"],
)  # fmt: skip
def test_small_talk_is_gated_in_many_languages(text):
    assert gate(text) is Gated.SMALL_TALK


@pytest.mark.parametrize("text", ["", "   ", "...", "?!", "\x00", "\u200b", "---"])
def test_a_text_without_words_is_gated(text):
    assert gate(text) is Gated.NO_WORDS


@pytest.mark.parametrize(
    "text",
    ["postgres", "what is up with billing", "ok use postgres", "hi, who owns billing?", "Go", "C++", "pg", "tb-", "me",
     "数据库", "какая база данных", "thanks to whom do we have redis", "test database", "*test*", "x" * 100_000,
     "\ud83d broken", "v1.2.3-rc.1"],
)  # fmt: skip
def test_what_may_be_a_question_passes(text):
    assert gate(text) is None
