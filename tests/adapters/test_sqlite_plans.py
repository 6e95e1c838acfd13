"""The plans of all statements that run per request: by index, no full scan, no sorting where order is free."""

import apsw
import pytest

from fakes.clock import FakeClock
from remora.adapters.sqlite import change_writer, expansion, text_search, vector_search, view
from remora.adapters.sqlite.store import open_store
from store_shapes import OPERATOR, REPO, edge, node, plan, vector

SORTED_BY_INDEX = {
    "by id": (view.SCAN, "item_by_id (part=? AND id>?)"),
    "newest": (view.NEWEST, "item_by_time (part=?)"),
    "newest after": (view.NEWEST_AFTER, "item_by_time (part=? AND updated<?)"),
    "ids of a part": (text_search.IDS_OF_PART, "COVERING INDEX item_by_id (part=?)"),
    "missing vectors": (view.MISSING, "item_by_id (part=?)"),
    "outgoing": (expansion.edge_statement("source", [1, 2], [1, 2, 3], named=False), "edge_by_source (source=?)"),
    "incoming": (expansion.edge_statement("target", [1, 2], [1, 2, 3], named=False), "edge_by_target (target=?)"),
    "outgoing, named": (expansion.edge_statement("source", [1, 2], [1, 2, 3], named=True), "edge_by_source (source=?)"),
    "incoming, named": (expansion.edge_statement("target", [1], [1], named=True), "edge_by_target (target=?)"),
    "change feed": (view.CHANGES, "feed_by_seq (seq>? AND seq<?)"),
}
BY_KEY = {
    "get": (view.GET, "sqlite_autoindex_item_1 (id=?)"),
    "get by key": (view.BY_KEY, "INTEGER PRIMARY KEY (rowid=?)"),
    "parts": (view.PARTS, "sqlite_autoindex_part_1 (scope=?)"),
    "term": (text_search.TERM, "PRIMARY KEY (part=? AND term=?)"),
    "prefix": (text_search.PREFIX, "PRIMARY KEY (part=? AND term>? AND term<?)"),
    "open prefix": (text_search.PREFIX_OPEN, "PRIMARY KEY (part=? AND term>?)"),
    "id by key": (text_search.ID_BY_KEY, "INTEGER PRIMARY KEY (rowid=?)"),
    "lengths": (text_search.LENGTHS.format(parts="1, 2"), "PRIMARY KEY (part=?)"),
    "vectors": (vector_search.VECTORS.format(parts="1, 2"), "vector_by_model (model=? AND part=?)"),
    "visible": (expansion.VISIBLE.format(node_parts="1, 2"), "sqlite_autoindex_item_1 (id=?)"),
    "old row": (change_writer.OLD, "sqlite_autoindex_item_1 (id=?)"),
    "edges of": (change_writer.EDGES_OF, "edge_by_target (target=?)"),
    "is node": (change_writer.IS_NODE, "sqlite_autoindex_item_1 (id=?)"),
    "kept results": (change_writer.BLANK_RESULTS, "PRIMARY KEY (item=?)"),
    "part": (change_writer.FIND_PART, "sqlite_autoindex_part_1 (scope=? AND family=? AND label=?)"),
}


@pytest.fixture(scope="module")
def con(tmp_path_factory):
    path = tmp_path_factory.mktemp("plans") / "store.sqlite3"
    store = open_store(path, REPO, FakeClock())
    items = [node(f"n{index}", f"w{index % 9}") for index in range(50)]
    items += [edge(f"n{index}", f"n{index // 2}", words="w1 x") for index in range(50)]
    store.apply(OPERATOR, plan(*items, vectors=[vector(f"n{index}", 1, 2) for index in range(50)]))
    store.close()
    con = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    yield con
    con.close()


def explained(con, statement):
    bindings = [None] * statement.count("?") if "?1" not in statement else [None] * 4
    for count in range(len(bindings) + 1):
        try:
            return [row[3] for row in con.execute("EXPLAIN QUERY PLAN " + statement, bindings[:count])]
        except apsw.BindingsError:
            continue
    raise AssertionError(statement)


def scans(lines):
    return [line for line in lines if line.startswith("SCAN") and "json_each" not in line]


@pytest.mark.parametrize("name", SORTED_BY_INDEX)
def test_ordered_reads_walk_an_index_and_sort_nothing(con, name):
    statement, index = SORTED_BY_INDEX[name]
    lines = explained(con, statement)
    assert scans(lines) == []
    assert not [line for line in lines if "TEMP B-TREE" in line]
    assert any(index in line for line in lines), lines


@pytest.mark.parametrize("name", BY_KEY)
def test_lookups_search_an_index(con, name):
    statement, index = BY_KEY[name]
    lines = explained(con, statement)
    assert scans(lines) == []
    assert any(index in line for line in lines), lines
