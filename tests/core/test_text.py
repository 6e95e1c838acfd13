"""Index tokens and queries: any text is safe, and what is stored is found as people type it."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from remora.core.policy import QUERY_MAX_TERMS, TOKEN_MAX_CHARS, WORD_MAX_PARTS
from remora.core.text import Query, has_phrase, parse_query, similarity, stem, tokens, trigrams

ANY_TEXT = st.text(st.characters(codec=None), max_size=80)
WORDY = st.text(st.sampled_from("abzAZ09 _-./'+#:\"東京カ한é😀🇩🇪\u0301ﬁİ"), max_size=40)


def matches(query: str, stored: str) -> bool:
    """The contract with the engines: any term exactly, or any token starting with a prefix."""
    found, asked = tokens(stored), parse_query(query)
    return bool(set(asked.terms) & set(found)) or any(t.startswith(p) for t in found for p in asked.prefixes)


@given(st.one_of(ANY_TEXT, WORDY))
@example("C/C++17 .NET a'b''c 'x's")
def test_tokens_are_bounded_and_never_empty(text: str) -> None:
    found = tokens(text)
    assert all(found)
    assert max(map(len, found), default=0) <= TOKEN_MAX_CHARS
    assert not [token for token in found if re.search(r"\s", token)]


@given(st.one_of(ANY_TEXT, WORDY))
def test_a_text_is_found_by_itself(text: str) -> None:
    asked, found = parse_query(text), tokens(text)
    assert asked.empty == (not found)
    assert set(asked.terms) <= set(found)
    assert {term for group in asked.groups for term in group} <= set(asked.terms)


@given(WORDY, WORDY)
def test_a_text_is_found_by_its_own_words_inside_a_longer_query(text: str, more: str) -> None:
    if tokens(text) and parse_query(text).terms[0] in parse_query(f"{text} {more}").terms:
        assert matches(f"{text} {more}", text)


@given(st.one_of(ANY_TEXT, WORDY))
def test_quoted_and_hyphenated_phrases_of_a_text_are_in_it(text: str) -> None:
    for word in re.findall(r"[a-zA-Z0-9東]+(?:[-_./][a-zA-Z0-9東]+)*", text):
        for phrase in (*parse_query(word).phrases, *parse_query(f'"{word} {word}"').phrases):
            assert has_phrase(tokens(f"{word} {word}"), phrase), phrase


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        ("refresh", "calls refreshToken() twice"),
        ("refreshToken", "refresh_token expires"),
        ("token", "the refreshTokens table"),
        ("refreshing policies", "refresh the policy"),
        ("data", "src/remora/data.py"),
        ("data.py", "src/remora/data.py"),
        ("remora/data", "src/remora/data.py"),
        ("pre-edit", "the pre-edit hook"),
        ("pre-edit-check", "run pre-edit-check first"),
        ("it's", "it's broken"),
        ("don't use agents", "don't use agents here"),
        ("don’t", "don't do it"),
        ('"quoted"', "a quoted word"),
        ("ubuntu 20.04", "runs on Ubuntu 20.04 LTS"),
        ("v1.2.3-rc.1", "released v1.2.3-rc.1 today"),
        ("foo.bar()", "call foo.bar() later"),
        ("bar", "call foo.bar() later"),
        ("gen-itgc", "在gen-itgc中使用"),
        ("東", "住在東京"),
        ("京", "住在東京"),
        ("東京", "住在東京的人"),
        ("東京的", "住在東京的人"),
        ("住在東京", "我住在東京的人"),
        ("住在東京大阪", "住在東京"),
        ("カ", "カタカナ"),
        ("한국어", "한국어 문서"),
        ("😀", "works 😀 now"),
        ("🇩🇪", "shipped to 🇩🇪"),
        ("C++", "written in C++17"),
        ("C#", "a C# client"),
        (".NET", "the .NET runtime"),
        ("net", "the .NET runtime"),
        ("cafe", "Café Müller"),
        ("Müller", "muller"),
        ("ＦＵＬＬ width", "full"),
        ("istanbul", "İSTANBUL"),
        ("ёлка", "елка"),
        ("हिन्दी", "हिन्दी में"),
        ("init", "def __init__(self)"),
        ("__init__", "def __init__(self)"),
        ("http server", "class HTTPServer"),
        ("urls", "two URLs"),
        ("config", "configuration of it"),
        ("the", "the"),
        ("550e8400-e29b-41d4-a716-446655440000", "id 550e8400-e29b-41d4-a716-446655440000"),
        ("4f1df45", "since 4f1df45"),
        ("-m", "python -m pytest"),
    ],
)
def test_what_is_stored_is_found(query: str, stored: str) -> None:
    assert matches(query, stored)


@pytest.mark.parametrize(
    ("query", "stored"),
    [
        ("a.py", "src/data.py"),
        ("C++", "written in C and C#"),
        ("C#", "C++ or C"),
        ("大阪", "東京"),
        ("the policy", "the weather"),
        ("what is this", "that was him"),
    ],
)
def test_what_is_something_else_is_not_found(query: str, stored: str) -> None:
    assert not matches(query, stored)


def test_languages_named_c_have_tokens_of_their_own() -> None:
    assert tokens("C C++ C#") == ["c", "c++", "c#"]


@pytest.mark.parametrize("stored", ["tb-foo", "the tb-foo flag"])
def test_typing_a_word_never_goes_empty(stored: str) -> None:
    for typed in ("t", "tb", "tb-", "tb-f", "tb-fo", "tb-foo"):
        assert matches(typed, stored), typed


@pytest.mark.parametrize(
    "text",
    ["", "   ", "*", "AND", "NEAR(", "a:b", "(", "^", '"', '""', '"a', "\0", "\ud83d", "\udc95x", "NOT *", "-", "%"],
)
def test_no_query_is_an_error(text: str) -> None:
    assert isinstance(parse_query(text), Query)


def test_function_words_are_dropped_while_others_remain() -> None:
    assert parse_query("how do we refresh the token").terms == ("refresh", "token")
    assert parse_query("to be or not to be").terms == ("to", "be", "or", "not")


def test_hyphenated_and_quoted_words_are_phrases() -> None:
    assert parse_query('"chat send" fails').phrases == (("chat", "send"),)
    assert parse_query("chat-send fails").phrases == (("chat", "send"),)
    assert parse_query("sign-in").phrases == (("sign", "in"),)
    assert parse_query("chat send").phrases == ()


@pytest.mark.parametrize("stored", ["the chat-send tool", "chat send", "x chatSend y", "use chat_send now"])
def test_a_phrase_occurs_however_it_is_written(stored: str) -> None:
    assert has_phrase(tokens(stored), ("chat", "send"))


def test_a_phrase_needs_its_words_side_by_side_and_in_order() -> None:
    assert not has_phrase(tokens("send a chat"), ("chat", "send"))
    assert not has_phrase(tokens("chat and send"), ("chat", "send"))
    assert has_phrase(tokens("now pre-edit check runs"), ("edit", "check"))
    assert has_phrase(tokens("refresh token to disk"), ("refresh", "token"))
    assert has_phrase(tokens("the sign-in page of core/text.py"), ("sign", "in", "page"))
    assert not has_phrase(tokens("chat"), ())


def test_identifiers_and_paths_are_symbols_as_written() -> None:
    query = "why does `retry` in core/text.py call refreshToken(), (Session.open) or std::move? See MAX_SIZE."
    assert parse_query(query).symbols == (
        "retry", "core/text.py", "refreshToken", "Session.open", "std::move", "MAX_SIZE",
    )  # fmt: skip
    assert parse_query("plain words, nothing else; pre-edit").symbols == ()


def test_words_are_grouped_with_their_parts() -> None:
    assert parse_query("fix refreshToken").groups == (("fix",), ("refreshtoken", "refresh", "token"))


@pytest.mark.parametrize(
    "words",
    [
        "token tokens",
        "refresh refreshed refreshes refreshing",
        "policy policies",
        "run runs running ran",
        "cache caches cached caching",
        "delete deleted deletes deleting deletion",
        "happy happiness happily",
        "alias aliases",
        "index indexes indices indexed indexing",
        "authenticate authenticated authentication",
        "class classes",
        "query queries querying queried",
        "dependency dependencies",
        "stop stops stopped stopping",
        "status statuses",
        "retry retries retried retrying",
        "use uses used using",
        "api apis",
        "match matches matched matching",
        "normalize normalized normalization normalizing",
    ],
)
def test_forms_of_a_word_share_a_stem(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1, [stem(word) for word in words.split()]


@pytest.mark.parametrize(
    "pair",
    ["university universe", "news new", "string stringent", "organ organization", "import important", "one once"],
)
def test_different_words_keep_different_stems(pair: str) -> None:
    left, right = pair.split()
    assert stem(left) != stem(right)


@pytest.mark.parametrize("word", ["utf8", "v2s", "größen", "is", "東京s", "snake_cases", "x" * 100 + "s"])
def test_identifiers_and_other_scripts_are_not_stemmed(word: str) -> None:
    assert stem(word) == word


@given(st.text(st.sampled_from("abcdefghilmnoprstuyz"), max_size=14))
def test_a_stem_is_a_short_form_of_its_word(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1
    assert bool(stem(word)) == bool(word)


def test_a_huge_word_costs_little_and_yields_few_tokens() -> None:
    before = time.process_time()
    for unit in ("a", "a.", "aB", "é", "/", "-a", "_", "A1", "\u0301", "a'", "東", '"a"', "`a`", "ﷺ"):
        text = unit * (100_000 // len(unit))
        found = tokens(text)
        asked = parse_query(text)
        assert len(asked.terms) <= QUERY_MAX_TERMS
        if unit in ("a", "a.", "aB", "é", "-a", "A1"):
            assert len(found) <= WORD_MAX_PARTS + 1
    assert time.process_time() - before < 8


def test_what_a_long_query_leaves_out_is_counted() -> None:
    asked = parse_query(" ".join(f"x{a}{b}" for a in "bcdfghjklm" for b in "bcdfghjklmnpqrtvwxyz"))
    assert len(asked.terms) == QUERY_MAX_TERMS
    assert asked.dropped == 200 - QUERY_MAX_TERMS


@given(ANY_TEXT, ANY_TEXT)
def test_similarity_is_symmetric_and_between_zero_and_one(a: str, b: str) -> None:
    assert similarity(a, b) == similarity(b, a)
    assert 0.0 <= similarity(a, b) <= 1.0
    assert similarity(a, a) == (1.0 if trigrams(a) else 0.0)


def test_a_typo_is_more_similar_than_another_word() -> None:
    assert similarity("postgres", "postgress") > 0.8
    assert similarity("authentication", "authentcation") > 0.7
    assert similarity("authentication", "authorization") < 0.6
