"""The principal matrix through the use cases: every read, count, export, evidence and write, for every principal.

What a principal is told by the whole world equals what it is told by one that holds only what the table lets it see.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from principal_matrix import (
    ABSENT,
    HERE,
    MATRIX,
    OPERATOR,
    PLACES,
    Entry,
    Place,
    Principal,
    Stage,
    a_record,
    all_records,
    of_each,
    stage,
    target_of,
    told,
)
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.system import SystemClock
from remora.core.errors import Denied, RemoraError
from remora.core.facts.batch import Triple
from remora.core.policy import SUBJECT_KEYS_MAX
from remora.core.recall.record_hits import recall_records
from remora.core.records.bundle import decode_bundle, encode_bundle
from remora.core.records.exchange import ServerListing, Taken
from remora.core.records.indexed import AnchorKey, IndexedRecord, Narrowing, path_key
from remora.core.records.log import AppendOutcome
from remora.core.records.model import PRIVATE, Link, SymbolAnchor
from remora.core.records.outcome import OutcomeRequest
from remora.core.records.revision import Correction, correction, linking, promotion, reactivation, retraction
from remora.core.records.schema import ARTIFACTS_SCHEMA, BENCHMARK_SCHEMA
from remora.core.records.search import Ranking, RecordQuery
from remora.core.records.vocabulary import RecordKind, Relation
from remora.core.scope import Grant, Right, restricted_grant
from remora.core.sessions import SessionRef
from remora.usecases.compact_records import compact_records
from remora.usecases.diagnose import diagnose
from remora.usecases.evaluate_records import evaluate_records
from remora.usecases.evidence import evidence
from remora.usecases.explain_decision import explain_decision
from remora.usecases.explain_history import explain_history
from remora.usecases.export_records import export_records, export_some
from remora.usecases.find_similar_change import find_similar_change
from remora.usecases.get_record import get_record
from remora.usecases.import_artifacts import ImportArtifactsRequest, import_artifacts
from remora.usecases.import_records import import_bundle
from remora.usecases.ingest_docs import ingest_docs
from remora.usecases.ingest_git import IngestRequest, ingest_git
from remora.usecases.known_pitfalls import known_pitfalls
from remora.usecases.list_record_ids import list_record_ids
from remora.usecases.locate import locate
from remora.usecases.push_records import push_records
from remora.usecases.recall import RecallRequest, recall
from remora.usecases.record_outcome import record_outcome
from remora.usecases.register_session import RegisterSessionRequest, register_session
from remora.usecases.remember import RememberRequest, remember
from remora.usecases.revise_record import revise_record
from remora.usecases.search_records import search_records
from remora.usecases.verify_records import verify_records

RECORDS = all_records()
SUBJECTS = ("src/auth.py", "auth.py", "src/", "session mutex", "src/bobs.py", "old_core", "old_shared")
WORDS = ("refresh deadlock", "refr", "alices", "core")
MANIFEST = json.dumps({"schema": BENCHMARK_SCHEMA, "cases": [
    {"name": place.name, "query": f"refresh token {place.name}", "kinds": [],
     "expected_sources": [f"https://tracker.example/task:{place.name}"]} for place in PLACES
]}).encode()  # fmt: skip


def _search(**query: Any) -> Entry:
    return of_each(WORDS, lambda world, grant, text: search_records(world.ports, grant, RecordQuery(text, **query)))


def _about(ask: Callable[..., object], **more: Any) -> Entry:
    return of_each(SUBJECTS, lambda world, grant, subject: ask(world.ports, grant, subject, **more))


def _view(world: Stage, grant: Grant) -> object:
    ids, uris = [record.id for record in RECORDS], [source.uri for record in RECORDS for source in record.sources]

    def told_of(items: Iterable[IndexedRecord], more: object) -> object:
        return [item.id for item in items], more

    with world.ports.record_index.view(grant) as view:
        text = view.text(["mutex"], ["refr", "alic"], Narrowing(), limit=5)
        paths = [f"src/{place.name}.py" for place in PLACES]
        return (
            view.total,
            view.state,
            sorted(view.get(ids)),
            [item.id for item in view.by_source(uris)],
            [(target, relation, item.id) for target, relation, item in view.linking([*ids, *uris])],
            view.lineage([path_key(path) for path in paths]),
            view.concrete(["e:auth.py", "d:src", *(f"e:{place.name}.py" for place in PLACES)], limit=500),
            told_of(*view.anchored([AnchorKey(path_key(path)) for path in paths], Narrowing(), limit=500)),
            told_of(*view.newest(Narrowing(kinds=frozenset({RecordKind.CI_RUN})), limit=3)),
            told_of(text.items, (text.stats, text.prefixes, text.total)),
        )


def _get(record_id: str, world: Stage, grant: Grant) -> object:
    return get_record(world.ports, grant, record_id)


def _recalled(world: Stage, grant: Grant) -> object:
    with world.ports.record_index.view(grant) as view:
        return [recall_records(view, words, limit=50) for words in WORDS]


class _Wire:
    """A server that has nothing and keeps what it is brought."""

    def __init__(self) -> None:
        self.brought: list[str] = []

    def listing(self) -> ServerListing:
        return ServerListing(frozenset(), "somebody", operator=False)

    def give(self, record_ids: Collection[str]) -> bytes:
        return encode_bundle(())

    def take(self, bundle: bytes) -> Taken:
        self.brought += [record.id for record in decode_bundle(bundle).records]
        return Taken(recorded=len(self.brought))


def _pushed(world: Stage, grant: Grant) -> object:
    wire = _Wire()
    return push_records(world.ports, grant, wire), sorted(wire.brought)


READS: dict[str, Entry] = {
    "push": _pushed,
    "ids": lambda world, grant: list_record_ids(world.ports, grant, limit=7),
    "export, some": lambda world, grant: export_some(world.ports, grant, [record.id for record in RECORDS]),
    "search": _search(limit=500),
    "search, one hit": _search(limit=1),
    "search, v1 ranking": _search(limit=500, ranking=Ranking.V1),
    "search, superseded too": _search(limit=500, include_superseded=True),
    "search, one kind": _search(limit=500, kinds=frozenset({RecordKind.ARCHITECTURE_DECISION})),
    "search, on a symbol": _search(limit=500, symbol="refresh_token"),
    "newest": lambda world, grant: search_records(world.ports, grant, RecordQuery(limit=500)),
    "on a symbol alone": of_each(
        SUBJECTS, lambda world, grant, symbol: search_records(world.ports, grant, RecordQuery(symbol=symbol))
    ),
    "explain_history": _about(explain_history, limit=500),
    "explain_history, superseded too": _about(explain_history, include_superseded=True, limit=3),
    "known_pitfalls": _about(known_pitfalls),
    "explain_decision": _about(explain_decision, include_superseded=True),
    "find_similar_change": of_each(
        WORDS, lambda world, grant, words: find_similar_change(world.ports, grant, words, symbol="refresh_token")
    ),
    "evidence": lambda world, grant: evidence(world.ports, grant, SUBJECTS).to_json(),
    "evidence, concise": of_each(SUBJECTS, lambda world, grant, s: evidence(world.ports, grant, [s], concise=True)),
    "get": of_each(
        (*(record.id for record in RECORDS), ABSENT),
        lambda world, grant, record_id: get_record(world.ports, grant, record_id),
    ),
    "get from the log": of_each(
        tuple(record.id for record in RECORDS),
        lambda world, grant, record_id: world.ports.records.get(grant, record_id),
    ),
    "view": _view,
    "recall, records": _recalled,
    "recall": of_each(
        WORDS,
        lambda world, grant, query: recall(world.ports, grant, RecallRequest(query=query, memory_scope="repository")),
    ),
    "locate": of_each(WORDS, lambda world, grant, words: locate(world.ports, grant, words)),
    "export": lambda world, grant: export_records(world.ports, grant),
    "export, legacy": lambda world, grant: export_records(world.ports, grant, legacy=True),
    "evaluate": lambda world, grant: evaluate_records(world.ports, grant, MANIFEST),
    "diagnose": lambda world, grant: diagnose(world.ports, grant),
    "verify": lambda world, grant: verify_records(world.ports, grant),
    "compact": lambda world, grant: compact_records(world.ports, grant),
}


# --- Writes -----------------------------------------------------------------------------------------------------------


def _outcome(scope: str, **more: Any) -> Entry:
    """Outcomes under keys that every place uses already."""
    keys = tuple(record.idempotency_key for record in RECORDS if record.idempotency_key.startswith("task:"))

    def ask(world: Stage, grant: Grant, key: str) -> object:
        request = OutcomeRequest(
            idempotency_key=key, title="Tried it", summary="It failed.", outcome="failed", source_uri="agent://x",
            scope=scope, **more,
        )  # fmt: skip
        return record_outcome(world.ports, grant, request)

    return of_each(keys, ask)


def _artifacts(**more: Any) -> Entry:
    item = {
        "kind": "issue", "external_id": "7", "title": "Issue 7", "summary": "", "source_uri": f"{HERE}/issues/7",
        "repository": HERE, "occurred_at": 1,
    }  # fmt: skip
    data = json.dumps({"schema": ARTIFACTS_SCHEMA, "artifacts": [item | more]}).encode()
    return lambda world, grant: import_artifacts(world.ports, grant, ImportArtifactsRequest(data=data))


def _bundle(world: Stage, grant: Grant) -> object:
    """A bundle of every record, with other words: none may tell that its key stands for something else already."""
    records = [replace(record, summary="Other words.") for record in RECORDS if "newer" not in record.idempotency_key]
    return import_bundle(world.ports, grant, encode_bundle(records))


def _same_bundle(world: Stage, grant: Grant) -> object:
    return import_bundle(world.ports, grant, encode_bundle(RECORDS))


def _revise(make: Callable[[], Any]) -> Entry:
    ids = (*(record.id for record in RECORDS if record.idempotency_key.startswith("decision:")), ABSENT)
    return of_each(ids, lambda world, grant, record_id: revise_record(world.ports, grant, record_id, make()))


def _append(world: Stage, grant: Grant) -> object:
    """A new record in every place."""
    made = {place.name: a_record(place, f"new:{grant.principal}:{place.name}", 0) for place in PLACES}
    return of_each(made, lambda w, g, name: w.ports.records.append(g, made[name]))(world, grant)


WRITES: dict[str, Entry] = {
    "append": _append,
    "record, private": _outcome("private"),
    "record, private, again": _outcome("private"),
    "record, repository": _outcome("repository"),
    "record, workspace": _outcome("workspace", workspace="core"),
    "import-artifacts": _artifacts(),
    "import-artifacts, changed": _artifacts(title="Issue 7, changed"),
    "import-artifacts, shared": _artifacts(scope="repository"),
    "import-artifacts, workspace": _artifacts(scope="workspace", workspace="core"),
    "correct": _revise(lambda: correction(Correction(title="Corrected"))),
    "promote": _revise(lambda: promotion("repository")),
    "link": _revise(lambda: linking("similar_to", "https://example.org")),
    "retract": _revise(lambda: retraction("No.")),
    "reactivate": _revise(reactivation),
    "import, the same": _same_bundle,
    "import, other words": _bundle,
    "ingest": lambda world, grant: ingest_git(world.ports, grant, IngestRequest(history=True)),
    "ingest-docs": lambda world, grant: ingest_docs(world.ports, grant),
}


# --- The matrix -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    world = stage(tmp_path_factory.mktemp("whole"), RECORDS, damaged=True)
    yield world
    world.close()


SHORT = ("the owner with a claim", "a member of core", "nobody")
"""Rows of every run; the others are for the slow recipe."""


@pytest.fixture(
    params=[pytest.param(row, id=row.row, marks=() if row.row in SHORT else pytest.mark.slow) for row in MATRIX]
)
def row(request: pytest.FixtureRequest) -> Principal:
    found: Principal = request.param
    return found


def _without_hidden(folder: Path, row: Principal, *, damaged: bool = False) -> Stage:
    return stage(folder, [record for record in RECORDS if row.sees(record)], damaged=damaged)


def test_every_read_answers_as_if_what_is_hidden_never_was(whole: Stage, row: Principal, tmp_path: Path) -> None:
    part = _without_hidden(tmp_path, row, damaged=row.grant.operator)
    wrong = [name for name, entry in READS.items() if told(whole, row.grant, entry) != told(part, row.grant, entry)]
    part.close()
    assert wrong == []


def test_the_table_is_what_is_seen(whole: Stage, row: Principal) -> None:
    expected = {record.id for record in RECORDS if row.sees(record)}
    with whole.ports.record_index.view(row.grant) as view:
        assert set(view.get([record.id for record in RECORDS])) == expected
        assert view.total == len(expected)
    bundle = decode_bundle(export_records(whole.ports, row.grant))
    assert {record.id for record in bundle.records} == expected
    absent = told(whole, row.grant, lambda world, grant: get_record(world.ports, grant, ABSENT))
    for record in RECORDS:
        said = told(whole, row.grant, partial(_get, record.id))
        assert (said == absent.replace(ABSENT, record.id)) is not row.sees(record)


AFTER = ("search, superseded too", "known_pitfalls", "explain_decision", "get", "export")
"""Reads after the writes; `get` tells of supersession and links, `export` of every byte."""


def test_every_write_answers_and_acts_as_if_what_is_hidden_never_was(row: Principal, tmp_path: Path) -> None:
    worlds = (stage(tmp_path / "whole", RECORDS), _without_hidden(tmp_path / "part", row))
    wrong = [
        name for name, entry in WRITES.items() if told(worlds[0], row.grant, entry) != told(worlds[1], row.grant, entry)
    ]
    after = [
        name for name in AFTER if told(worlds[0], row.grant, READS[name]) != told(worlds[1], row.grant, READS[name])
    ]
    hidden = {record.id: record for record in RECORDS if not row.sees(record)}
    with worlds[0].ports.record_index.view(OPERATOR) as view:
        kept = {record_id: item.record for record_id, item in view.get(list(hidden)).items()}
    for world in worlds:
        world.close()
    assert (wrong, after) == ([], [])
    assert kept == hidden


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_the_table_is_what_is_written(row: Principal, place: Place, tmp_path: Path) -> None:
    owner = place.owner if place.scope is PRIVATE else row.grant.principal
    log, record = FileRecordLog(tmp_path), a_record(place, "written", 0, owner=owner)
    if row.cell(place) == "w":
        assert log.append(row.grant, record) is AppendOutcome.RECORDED
    else:
        with pytest.raises(Denied):
            log.append(row.grant, record)
    if not row.grant.operator:
        with pytest.raises(Denied):
            log.append(row.grant, a_record(place, "forged", 0, owner="somebody else"))


def test_a_write_hides_only_what_its_writer_may_write(tmp_path: Path, row: Principal) -> None:
    """A record in every place the row may write supersedes every record; the operator then looks at what is hidden."""
    targets = [target_of(place, place) for place in PLACES]
    world = stage(tmp_path, targets)
    links = [Link(Relation.SUPERSEDES, target.id) for target in targets]
    for place in PLACES:
        try:
            owner = place.owner if place.scope is PRIVATE else row.grant.principal  # as every door stamps it
            usurper = a_record(place, f"usurper:{place.name}", 5_000, links=links, owner=owner)
            world.ports.records.append(row.grant, usurper)
        except RemoraError:
            assert row.cell(place) != "w"
    shown = search_records(world.ports, OPERATOR, RecordQuery(limit=500)).hits
    world.close()
    standing = {hit.record.id for hit in shown}
    for place, target in zip(PLACES, targets, strict=True):
        assert (target.id in standing) is (row.cell(place) != "w"), place.name


def test_files_are_told_to_readers_of_the_repository_alone(whole: Stage, row: Principal) -> None:
    said = told(whole, row.grant, lambda world, grant: locate(world.ports, grant, "refresh token"))
    assert ("src/auth.py" in said) is (row.grant.right(HERE) >= Right.READ)


def test_hidden_paths_do_not_crowd_out_visible_ones(tmp_path: Path) -> None:
    alices, bobs = PLACES[:2]
    anchors = [SymbolAnchor(f"code:a/{number}/x.py", "", f"a/{number}/x.py") for number in range(SUBJECT_KEYS_MAX + 10)]
    seen = a_record(alices, "seen", 0, affected_symbols=(SymbolAnchor("code:b/x.py", "", "b/x.py"),))
    world = stage(tmp_path, [seen, a_record(bobs, "many", 1, affected_symbols=anchors)])
    grant = MATRIX[1].grant
    for subject in ("x.py", "b"):
        hits = explain_history(world.ports, grant, subject).hits
        assert [hit.record.id for hit in hits] == [seen.id]
    world.close()


def test_what_others_keep_in_their_sessions_shows_in_no_diagnosis(tmp_path: Path) -> None:
    world = stage(tmp_path, [])
    ports = replace(world.ports, clock=SystemClock())  # as the store's own
    grant = next(row.grant for row in MATRIX if row.row == "a reader of this repository")
    before = diagnose(ports, grant)
    other = restricted_grant("bob", repository_claims=(HERE,))
    registered = register_session(ports, other, RegisterSessionRequest(session_id="bobs", client="test"))
    session = SessionRef(handle=registered.handle)
    triples = [Triple(subject="a", predicate="USES", object="b")]
    remember(ports, other, RememberRequest(triples=triples, memory_scope="session", session=session))
    assert diagnose(ports, grant) == before
    assert diagnose(ports, OPERATOR) != before
    world.close()
