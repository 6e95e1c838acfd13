"""Records held in memory answer what the index answers, and a cut hides what had not happened yet."""

from pathlib import Path
from typing import Any

import pytest

from remora.core.records.cut_view import CutView, RecordShelf
from remora.core.records.explain import explain_history
from remora.core.records.indexed import AnchorKey, Narrowing, path_key
from remora.core.records.model import Link, PathChange, Record
from remora.core.records.search import Ranking, RecordQuery, search
from remora.core.records.vocabulary import PathChangeKind, Relation
from remora.core.scope import operator_grant

OPERATOR = operator_grant()


def moved(old: str, new: str) -> PathChange:
    return PathChange(PathChangeKind.RENAMED, old, new)


def touched(path: str) -> PathChange:
    return PathChange(PathChangeKind.MODIFIED, path, path)


@pytest.fixture
def records(bag: Any) -> list[Record]:
    """A file that goes there and back, a superseded record, and one that fixes another."""
    first = bag.add("a", title="Parse cookies", path_changes=[touched("a.py")])
    fixes, replaces = Link(Relation.FIXED, first.id), Link(Relation.SUPERSEDES, first.id)
    return [
        first,
        bag.add("b", title="Move the parser", path_changes=[moved("a.py", "lib/b.py")]),
        bag.add("c", title="Parser keeps quotes", path_changes=[touched("lib/b.py")]),
        bag.add("d", title="Move the parser back", path_changes=[moved("lib/b.py", "a.py")]),
        bag.add("e", title="Parsing of cookie ages", path_changes=[touched("a.py")], links=[fixes]),
        bag.add("f", title="Parse cookies anew", links=[replaces]),
    ]


def test_a_view_of_everything_answers_what_the_index_answers(bag: Any, records: list[Record]) -> None:
    held = CutView(RecordShelf(records), [record.id for record in records])
    with bag.record_index.view(OPERATOR) as index:
        assert held.total == index.total
        for text in ("parse cookies", "quotes", "pars", "absent", "a.py"):
            for ranking in Ranking:
                query = RecordQuery(text, ranking=ranking)
                mine, theirs = search(held, query), search(index, query)
                assert [(h.record.id, h.score, h.matched_by) for h in mine.hits] == [
                    (h.record.id, h.score, h.matched_by) for h in theirs.hits
                ]
        for subject in ("a.py", "lib/b.py", "b.py", "lib", "parser"):
            mine_history = explain_history(held, subject, include_superseded=True, limit=20)
            theirs_history = explain_history(index, subject, include_superseded=True, limit=20)
            assert [h.record.id for h in mine_history.hits] == [h.record.id for h in theirs_history.hits]
            assert mine_history.linked == theirs_history.linked
        assert [r.id for r in held.newest(Narrowing(), limit=3)[0]] == [
            r.id for r in index.newest(Narrowing(), limit=3)[0]
        ]
        key = [AnchorKey(path_key("a.py"), until=records[1].occurred_at)]
        assert held.anchored(key, Narrowing(), limit=9)[1] == index.anchored(key, Narrowing(), limit=9)[1]
        assert held.lineage([path_key("a.py")]) == index.lineage([path_key("a.py")])
        uris = [records[2].sources[0].uri]
        assert [r.id for r in held.by_source(uris)] == [r.id for r in index.by_source(uris)]


def test_a_cut_hides_what_had_not_happened_yet(records: list[Record]) -> None:
    held = CutView(RecordShelf(records), [record.id for record in records[:2]])
    assert held.total == 2
    assert held.get([records[2].id]) == {}
    assert [hit.record.id for hit in search(held, RecordQuery("cookies")).hits] == [records[0].id]
    assert len(held.lineage([path_key("a.py")])) == 1


@pytest.mark.parametrize("name", ["a.py", "lib/b.py"])
def test_a_file_that_was_renamed_there_and_back_has_one_history(bag: Any, records: list[Record], name: str) -> None:
    with bag.record_index.view(OPERATOR) as view:
        found = explain_history(view, name, include_superseded=True, limit=20)
    assert {hit.record.id for hit in found.hits} >= {record.id for record in records[:5]}


def test_an_empty_shelf_answers_nothing(tmp_path: Path) -> None:
    held = CutView(RecordShelf([]), [])
    assert (held.total, search(held, RecordQuery("x")).hits, held.state.records) == (0, (), 0)
