"""What the page is looked at with: a served repository that holds something of every kind, and texts that are odd."""

import json
from typing import Any

RTL = "החיוב תלוי במסד הנתונים"
ARABIC = "تعتمد الفوترة على قاعدة البيانات"
CJK = "請求書サービスはデータベースに依存する"
LONG = "InvoiceReconciliationOrchestratorFactoryBuilderConfigurationProviderInterfaceImplementationForLegacyAccounts"
CHAT = {"REMORA_SESSION_ID": "chat-1", "REMORA_CLIENT": "test"}


def furnish(world: Any) -> dict[str, str]:
    """Fill an initialised repository with a little of everything; returns ids by a short name."""
    sha = world.commit("Add billing", billing__py="def charge(user):\n    return user\n", README__md="# Billing\n")
    assert world.remora("index").code == 0
    assert world.remora("records", "ingest", "--history", "--anchors", "5").code == 0
    facts = [
        ("Billing", "depends on", "Postgres"), ("Billing", "owned by", "Payments team"),
        ("Invoices", "kept in", "S3 bucket"), (RTL[:60], "depends on", "Postgres"), (CJK, "uses", "PostgreSQL 16"),
        (ARABIC, "depends on", "Redis"), (LONG, "replaced by", "Reconciler"), ("Checkout", "calls", "Billing"),
    ]  # fmt: skip
    ids = {}
    for subject, predicate, target in facts:
        done = world.remora("remember", "--json", subject, predicate, target)
        assert done.code == 0, done.err
        ids[subject] = done.json["outcomes"][0]["id"]
    world.remora("remember", "Billing", "owned by", "Platform team", "--replace")
    ids["record"] = record(world, sha, "run-1", "Charging twice broke refunds", "repository")
    ids["private"] = record(world, sha, "run-2", "A private note on charging", "private")
    ids |= encounters(world, ids["record"])
    return ids


def record(world: Any, sha: str, key: str, title: str, scope: str) -> str:
    """Record an outcome; returns its id."""
    done = world.remora(
        "records", "record", "--json", "--idempotency-key", key, "--title", title, "--summary",
        "The second call of charge() was not idempotent; refunds counted it.\nSee the incident's page.", "--outcome",
        "regressed", "--source-uri", "ci://runs/1", "--commit", sha, "--symbol", "charge", "--verification-status",
        "failed", "--verification-command", "pytest -q", "--scope", scope,
    )  # fmt: skip
    assert done.code == 0, done.err + done.out
    return str(done.json["id"])


def encounters(world: Any, cited: str) -> dict[str, str]:
    """An encounter with a question, a hypothesis and what speaks for it; returns their ids by name."""
    from remora.core.encounters.identity import node_id

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
    opened = world.remora("encounters", "advance", "Why refunds doubled", "--json", **CHAT)
    assert opened.code == 0, opened.err
    written = json.dumps({"entities": entities, "relations": relations}).encode()
    done = world.remora("encounters", "create", "-", stdin=written, **CHAT)
    assert done.code == 0, done.err + done.out
    return {row["name"]: node_id(str(row["type"]), str(row["name"])) for row in entities}
