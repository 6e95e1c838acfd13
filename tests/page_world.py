"""What the page is looked at with: a served repository that holds something of every kind, and texts that are odd."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from remora.bootstrap import open_ports
from remora.config import load
from remora.core.encounters.identity import node_id
from remora.core.errors import InvalidInput
from remora.core.facts.batch import Triple
from remora.core.records.outcome import OutcomeRequest
from remora.core.scope import operator_grant
from remora.core.sessions import SessionRef
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.create_entities import create_entities
from remora.usecases.create_relations import create_relations
from remora.usecases.record_outcome import record_outcome
from remora.usecases.register_session import RegisterSessionRequest, register_session
from remora.usecases.remember import RememberRequest, remember

RTL = "החיוב תלוי במסד הנתונים"
ARABIC = "تعتمد الفوترة على قاعدة البيانات"
CJK = "請求書サービスはデータベースに依存する"
LONG = "InvoiceReconciliationOrchestratorFactoryBuilderConfigurationProviderInterfaceImplementationForLegacyAccounts"


def furnish(world: Any) -> dict[str, str]:
    """Fill an initialised repository with a little of everything; returns ids by a short name."""
    sha = world.commit("Add billing", billing__py="def charge(user):\n    return user\n", README__md="# Billing\n")
    assert world.remora("index").code == 0
    assert world.remora("records", "ingest", "--history", "--anchors", "5").code == 0
    ports = open_ports(load(world.env), world.repo)
    try:
        ids = facts(ports)
        ids["record"] = record(ports, sha, "run-1", "Charging twice broke refunds", "repository")
        ids["private"] = record(ports, sha, "run-2", "A private note on charging", "private")
        return ids | encounters(ports, ids["record"])
    finally:
        ports.store_admin.close()
        ports.record_index.close()


def facts(ports: Any) -> dict[str, str]:
    """Facts of several scripts, one of which was replaced."""
    rows = [
        ("Billing", "depends on", "Postgres"), ("Invoices", "kept in", "S3 bucket"), (RTL, "depends on", "Postgres"),
        (CJK, "uses", "PostgreSQL 16"), (ARABIC, "depends on", "Redis"), (LONG, "replaced by", "Reconciler"),
        ("Checkout", "calls", "Billing"), ("Billing", "owned by", "Payments team"),
    ]  # fmt: skip
    grant = operator_grant(client="remora-cli")
    triples = [Triple(subject=subject, predicate=predicate, object=target) for subject, predicate, target in rows]
    saved = remember(ports, grant, RememberRequest(triples=triples)).saved
    now = Triple(subject="Billing", predicate="owned by", object="Platform team")
    remember(ports, grant, RememberRequest(triples=[now], replace=True))
    return {row.subject: row.id for row in saved}


def record(ports: Any, sha: str, key: str, title: str, scope: str) -> str:
    """Record an outcome; returns its id."""
    done = record_outcome(
        ports, operator_grant(),
        OutcomeRequest(
            idempotency_key=key, title=title, outcome="regressed", source_uri="ci://runs/1", commit=sha,
            summary="The second call of charge() was not idempotent; refunds counted it.\nSee the incident's page.",
            symbols=("charge",), verification_status="failed", verification_commands=("pytest -q",), scope=scope,
        ),
        lookup=ports.symbol,
    )  # fmt: skip
    return str(done.record.id)


def encounters(ports: Any, cited: str) -> dict[str, str]:
    """An encounter with a question, a hypothesis and what speaks for it; returns their ids by name."""
    grant, chat = operator_grant(client="test"), SessionRef(client="test", session_id="chat-1")
    register_session(ports, grant, RegisterSessionRequest(session_id="chat-1", client="test"))
    entities = [
        {"type": "Observation", "name": "Refunds doubled", "description": "Each refund was paid twice on Monday.",
         "t_observed": "2026-03-01T09:30:00Z"},
        {"type": "Question", "name": "Who retries charge?", "description": "Two callers may retry.", "status": "open"},
        {"type": "Hypothesis", "name": "The queue redelivers", "description": "At-least-once delivery.",
         "confidence": "high", "status": "proposed"},
        {"type": "Concept", "name": "Idempotent charging", "description": "A charge has a key.", "status": "forming"},
        {"type": "Citation", "name": "The failing run", "kind": "record", "uri": cited},
        {"type": "Component", "name": "charge", "source_kind": "code", "source_key": "code:billing.py#charge"},
    ]  # fmt: skip
    relations = [
        {"type": "OBSERVED_AT", "source": "Observation:Refunds doubled", "target": "Citation:The failing run"},
        {"type": "RAISES", "source": "Observation:Refunds doubled", "target": "Question:Who retries charge?"},
        {"type": "SUPPORTS", "source": "Observation:Refunds doubled", "target": "Hypothesis:The queue redelivers"},
        {"type": "GROUNDS", "source": "Observation:Refunds doubled", "target": "Concept:Idempotent charging"},
        {"type": "ABOUT", "source": "Observation:Refunds doubled", "target": "Component:charge"},
        {"type": "INFORMS", "source": "Concept:Idempotent charging", "target": "Component:charge"},
    ]  # fmt: skip
    advance_encounter(ports, grant, AdvanceRequest(name="Why refunds doubled", session=chat))
    create_entities(ports, grant, entities, chat)
    create_relations(ports, grant, relations, chat)
    return {row["name"]: node_id(str(row["type"]), str(row["name"])) for row in entities}


def say_hostile_things(world: Any, texts: Any) -> None:
    """Put each text into every field of a fact, a record and a node that takes it."""
    ports = open_ports(load(world.env), world.repo)
    grant, chat = operator_grant(client="test"), SessionRef(client="test", session_id="chat-1")
    try:
        for number, text in enumerate(texts):
            triple = Triple(
                subject=f"{number} {text[:90]}", predicate="SAYS", object=text[:100] or "x",
                citations=(f"code:{text[:80]}#{text[:20]}",),
            )  # fmt: skip
            outcome = OutcomeRequest(
                idempotency_key=f"hostile-{number}", title=text[:200] or "x", summary=text[:60_000], outcome="failed",
                source_uri="x:" + text[:500], branch=text[:100], symbols=(text[:80] or "x",), scope="repository",
                verification_notes=text[:2_000], verification_commands=(text[:200],),
            )  # fmt: skip
            note = {"type": "Note", "name": f"{number} {text[:90]}", "description": text[:20_000], "tag": text[:30]}
            for said in (triple, replace(triple, citations=())):
                with suppress(InvalidInput):  # what a field does not take is refused in words: nothing to show then
                    remember(ports, grant, RememberRequest(triples=[said]))
            with suppress(InvalidInput):
                record_outcome(ports, grant, outcome)
            with suppress(InvalidInput):
                create_entities(ports, grant, [note], chat)
    finally:
        ports.store_admin.close()
        ports.record_index.close()
