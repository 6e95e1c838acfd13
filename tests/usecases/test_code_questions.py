"""Questions about the code: relations, paths, source, text, subgraphs and what an edit breaks."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_checkout import GRANT, Checkout
from remora.core.errors import Denied, InvalidInput, RemoraError
from remora.core.scope import Right, restricted_grant
from remora.usecases.find_relations import RelationsAnswer, RelationsRequest, find_relations
from remora.usecases.get_source import SourceRequest, get_source
from remora.usecases.predict_edit import EditAnswer, EditRequest, predict_edit
from remora.usecases.query_graph import QuestionRequest, query_graph
from remora.usecases.search_text import SearchTextRequest, search_text
from remora.usecases.shortest_path import PathRequest, shortest_path

STORE = '''\
"""Keeps sessions."""


class Store:
    """Where tokens lie."""

    def refresh(self, user):
        """Give a user a fresh token."""
        return self.load(user)

    def load(self, user):
        return user


class Cached(Store):
    def load(self, user):
        return super().load(user)


def _private():
    return 1
'''
APP = """\
from store import Store


def login(user):
    return Store().refresh(user)


def greet(thing):
    thing.refresh()
    thing.vanish()
"""
TEST = "from app import login\n\n\ndef test_login():\n    assert login(1)\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path).write(store=STORE, app=APP, test_app=TEST)
    made.index()
    return made


def related(checkout: Checkout, relation: str, symbol: str) -> RelationsAnswer:
    return find_relations(checkout, GRANT, RelationsRequest(symbol, relation))


def edit(checkout: Checkout, symbol: str, kind: str) -> EditAnswer:
    return predict_edit(checkout, GRANT, EditRequest(symbol, kind))


def ids(rows: object) -> set[str]:
    return {row.id.partition(":")[2] for row in rows}  # type: ignore[attr-defined]


def test_callers_come_with_the_calls_that_nobody_could_tell(checkout: Checkout) -> None:
    answer = related(checkout, "callers", "Store.refresh")
    assert ids(answer.found) == {"app.py#login"}
    assert answer.unresolved_calls == 1
    assert (answer.unknown[0].file, answer.unknown[0].line) == ("app.py", 9)


def test_callees_are_what_a_symbol_calls_itself(checkout: Checkout) -> None:
    assert "store.py#Store.refresh" in ids(related(checkout, "callees", "login").found)
    unknown = related(checkout, "callees", "greet")
    assert ids(unknown.found) == set()
    assert {call.name.rpartition(".")[2] for call in unknown.unknown} == {"refresh", "vanish"}


def test_references_hold_imports_and_bases_and_not_the_inside_of_a_class(checkout: Checkout) -> None:
    found = related(checkout, "references", "Store")
    kinds = {(row.id.partition(":")[2], row.kind) for row in found.found}
    assert ("app.py", "imports") in kinds
    assert ("store.py#Cached", "inherits") in kinds
    assert not any(name == "store.py#Store.refresh" for name, _ in kinds)


def test_a_path_names_every_step_with_its_place(checkout: Checkout) -> None:
    answer = shortest_path(checkout, GRANT, PathRequest("test_login", "Store.refresh"))
    assert (answer.direction, len(answer.steps)) == ("forward", 2)
    assert (answer.steps[1].file, answer.steps[1].line) == ("app.py", 5)
    back = shortest_path(checkout, GRANT, PathRequest("Store.refresh", "test_login"))
    assert (back.direction, len(back.steps)) == ("backward", 2)
    none = shortest_path(checkout, GRANT, PathRequest("_private", "test_login"))
    assert (none.direction, none.steps, none.truncated) == ("", (), False)


def test_source_is_quoted_only_when_it_is_what_was_indexed(checkout: Checkout) -> None:
    answer = get_source(checkout, GRANT, SourceRequest("Store.refresh"))
    assert answer.state == "verified"
    assert answer.text.startswith("    def refresh(self, user):")
    assert (answer.first_line, answer.last_line) == (7, 9)
    checkout.at_most = 0
    checkout.write(store="# another\n" + STORE)
    stale = get_source(checkout, GRANT, SourceRequest("Store.refresh"))
    assert (stale.state, stale.text) == ("stale", "")
    (checkout.root / "store.py").unlink()
    assert get_source(checkout, GRANT, SourceRequest("Store.refresh")).state == "gone"


def test_source_never_leaves_the_checkout(checkout: Checkout, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "inner.py").write_text("SECRET = 'of another place'\n")
    checkout.put("pkg/inner.py", "def f(): pass\n").index()
    checkout.at_most = 0
    (checkout.root / "pkg/inner.py").unlink()
    (checkout.root / "pkg").rmdir()
    os.symlink(outside, checkout.root / "pkg")
    answer = get_source(checkout, GRANT, SourceRequest("inner.py"))
    assert answer.state in ("stale", "gone")
    assert answer.text == ""


def test_a_long_symbol_is_cut_at_whole_lines_and_says_so(checkout: Checkout) -> None:
    checkout.write(long="def f():\n" + "    x = 1\n" * 500).index()
    answer = get_source(checkout, GRANT, SourceRequest("f", budget_chars=200))
    assert answer.truncated
    assert answer.text.endswith("    x = 1")
    assert answer.last_line < 30


def test_text_is_found_literally_with_the_symbol_around_it(checkout: Checkout) -> None:
    answer = search_text(checkout, GRANT, SearchTextRequest("self.load("))
    assert [(hit.file, hit.line, hit.symbol) for hit in answer.hits] == [
        ("store.py", 9, "python:store.py#Store.refresh")
    ]
    assert search_text(checkout, GRANT, SearchTextRequest(".*")).total == 0
    assert search_text(checkout, GRANT, SearchTextRequest("STORE", ignore_case=True, path="app")).total == 2
    some = search_text(checkout, GRANT, SearchTextRequest("user", limit=2))
    assert (len(some.hits), some.truncated) == (2, True)
    assert some.total > 2


def test_a_question_finds_symbols_by_their_words_and_shows_what_is_around(checkout: Checkout) -> None:
    answer = query_graph(checkout, GRANT, QuestionRequest("who refreshes a token?"))
    assert answer.symbols[0].id == "python:store.py#Store.refresh"
    assert any(symbol.why == "one step away" and symbol.id.endswith("#login") for symbol in answer.symbols)
    assert any(edge.target.endswith("Store.refresh") for edge in answer.edges)
    assert query_graph(checkout, GRANT, QuestionRequest("zebra")).symbols == ()


def test_a_question_keeps_its_budget(checkout: Checkout) -> None:
    checkout.put("many.py", "".join(f"def token_{i}(): return token_{i + 1}\n" for i in range(300))).index()
    answer = query_graph(checkout, GRANT, QuestionRequest("token", budget_chars=500))
    assert answer.truncated
    assert sum(len(symbol.id) for symbol in answer.symbols) + sum(len(edge.source) for edge in answer.edges) < 500
    assert answer.total > 300


def test_a_new_body_breaks_nobody_and_a_new_signature_its_callers(checkout: Checkout) -> None:
    body = edit(checkout, "Store.refresh", "body")
    assert body.breaks == ()
    assert ids(body.look_at) == {"app.py#login"}
    assert ids(body.tests) == {"test_app.py#test_login"}
    assert body.public
    signature = edit(checkout, "Store.refresh", "signature")
    assert ids(signature.breaks) == {"app.py#login"}
    assert signature.unresolved_calls == 1


def test_overriding_methods_break_with_the_signature(checkout: Checkout) -> None:
    assert "store.py#Cached.load" in ids(edit(checkout, "store.py#Store.load", "signature").breaks)
    assert "store.py#Cached.load" in ids(edit(checkout, "store.py#Store.load", "body").look_at)


def test_a_move_breaks_only_those_in_other_files(checkout: Checkout) -> None:
    moved = edit(checkout, "Store", "move")
    assert {"app.py"} == {row.file for row in moved.breaks}
    assert "store.py#Cached" in ids(moved.look_at)
    assert "store.py#Cached" in ids(edit(checkout, "Store", "delete").breaks)
    assert not edit(checkout, "_private", "delete").public


def test_nobody_asks_without_the_right_to_read(checkout: Checkout) -> None:
    stranger = restricted_grant("eve", repository_claims=["another"], right=Right.READ)
    with pytest.raises(Denied):
        find_relations(checkout, stranger, RelationsRequest("login"))
    with pytest.raises(Denied):
        get_source(checkout, stranger, SourceRequest("login"))
    with pytest.raises(InvalidInput):
        predict_edit(checkout, GRANT, EditRequest("login", "explode"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60))
def test_hostile_words_never_crash_a_question(checkout: Checkout, words: str) -> None:
    for ask in (
        lambda: query_graph(checkout, GRANT, QuestionRequest(words)),
        lambda: search_text(checkout, GRANT, SearchTextRequest(words)),
        lambda: find_relations(checkout, GRANT, RelationsRequest(words)),
        lambda: get_source(checkout, GRANT, SourceRequest(words)),
    ):
        try:
            ask()
        except RemoraError as error:
            assert str(error)  # noqa: PT017
