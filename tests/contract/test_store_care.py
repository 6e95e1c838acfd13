"""`StoreAdmin`, on every engine."""

import pytest

from remora.core.errors import Conflict
from store_shapes import OPERATOR, edge, node, plan, vector


def test_a_used_store_verifies_clean(store):
    store.apply(
        OPERATOR, plan(node("a", "red fox"), node("b", "hen"), edge("a", "b", words="x"), vectors=[vector("a", 1)])
    )
    store.apply(OPERATOR, plan(node("a", "fox"), drop=["b"]), idempotency_key="k")
    assert store.verify() == ()


def test_health_tells_the_engine_its_layout_and_what_it_holds(store):
    store.apply(OPERATOR, plan(node("a"), node("b")))
    report = store.health()
    assert report["engine"] in {"memory", "sqlite", "neo4j"}
    assert (report["items"], report["seq"], report["warnings"]) == (2, 1, "")
    assert report["layout"] == store.migrate()


def test_a_backup_never_overwrites(store, tmp_path):
    target = tmp_path / "copy"
    target.write_text("precious")
    with pytest.raises(Conflict):
        store.backup(target)
    assert target.read_text() == "precious"


def test_scrubbing_an_unused_store_is_fine(store):
    store.scrub()
    assert store.drop_scope(OPERATOR, "nowhere") == 0
