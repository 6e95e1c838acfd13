"""The one health check: every part says how it stands, what it skipped, and what to do about what is wrong."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from remora.core.errors import NotFound, RemoraError
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.graph import Json
from remora.core.scope import REPOSITORY, Grant, Right
from remora.ports import Checkout, CodeGraphStore, RecordIndex, Repository, Store, StoreAdmin


class DoctorPorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def repository(self) -> Repository: ...
    @property
    def checkout(self) -> Checkout: ...
    @property
    def store(self) -> Store: ...
    @property
    def store_admin(self) -> StoreAdmin: ...
    @property
    def record_index(self) -> RecordIndex: ...
    @property
    def code_graph(self) -> CodeGraphStore: ...


class Health(StrEnum):
    """How one part stands."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: how it stands, in a sentence, with figures and what to do."""

    part: str
    health: Health
    message: str
    figures: Mapping[str, Json] = field(default_factory=dict)
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All parts, in a fixed order."""

    findings: tuple[Finding, ...]

    @property
    def failed(self) -> bool:
        """Whether any part failed."""
        return any(finding.health is Health.FAILED for finding in self.findings)

    def to_json(self) -> dict[str, Json]:
        """Overall health and every part."""
        worst = "failed" if self.failed else "ok"
        return {
            "health": worst,
            "parts": [
                {"part": f.part, "health": f.health.value, "message": f.message, "figures": dict(f.figures),
                 "advice": f.advice}
                for f in self.findings
            ],
        }  # fmt: skip


def diagnose(ports: DoctorPorts, grant: Grant) -> Diagnosis:
    """Look at every part; one that cannot be looked at is a finding and stops no other."""
    grant.require(ports.repository.identity, Right.READ)
    parts: tuple[tuple[str, Callable[[], Iterator[Finding]]], ...] = (
        ("repository", lambda: _repository(ports)),
        ("store", lambda: _store(ports)),
        ("facts", lambda: _facts(ports, grant)),
        ("records", lambda: _records(ports, grant)),
        ("code graph", lambda: _code_graph(ports)),
    )
    findings: list[Finding] = []
    for name, look in parts:
        try:
            findings.extend(look())
        except RemoraError as error:
            findings.append(Finding(name, Health.FAILED, str(error), advice=error.advice))
    return Diagnosis(tuple(findings))


def _repository(ports: DoctorPorts) -> Iterator[Finding]:
    checkout = ports.checkout
    figures: dict[str, Json] = {
        "identity": ports.repository.identity, "id": ports.repository.id, "root": str(checkout.root),
        "home": str(checkout.home), "object_format": checkout.object_format, "aliases": list(ports.repository.aliases),
    }  # fmt: skip
    if checkout.common_dir is None:
        yield Finding("repository", Health.WARNING, "this folder is not under git; no history can be read", figures)
    elif checkout.shallow:
        advice = "run `git fetch --unshallow`, then `remora records ingest --all`"
        yield Finding("repository", Health.WARNING, "this clone is shallow; its history is incomplete", figures, advice)
    else:
        yield Finding("repository", Health.OK, str(ports.repository.identity), figures)


def _store(ports: DoctorPorts) -> Iterator[Finding]:
    figures: dict[str, Json] = dict(ports.store_admin.health())
    warnings = str(figures.pop("warnings", ""))
    health = Health.WARNING if warnings else Health.OK
    told = f"{figures.get('engine')} layout {figures.get('layout')}, {figures.get('items')} items"
    yield Finding("store", health, warnings or told, figures)


def _facts(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    with ports.store.read(grant) as view:
        counts = view.counts((REPOSITORY,))
    figures: dict[str, Json] = {label: n for (family, label, _), n in sorted(counts.items()) if family == FACTS}
    yield Finding("facts", Health.OK, ", ".join(f"{n} {label}" for label, n in figures.items()) or "none yet", figures)


def _records(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    with ports.record_index.view(grant) as view:
        state, total = view.state, view.total
    if not state.origin:  # a restricted principal is told nothing of files, which hold records of everyone
        yield Finding("records", Health.OK, f"{total} records", {"records": total})
        return
    figures: dict[str, Json] = {"records": total, "units": state.units, "index": state.origin, "bad": len(state.bad)}
    yield Finding("records", Health.OK, f"{total} records in {state.units} files", figures)
    for bad in state.bad:
        advice = "the file is left as it is; restore it from a backup or move it away"
        yield Finding("records", Health.FAILED, f"{bad.unit}: {bad.problem}", {"id": bad.record_id}, advice)


def _code_graph(ports: DoctorPorts) -> Iterator[Finding]:
    try:
        with ports.code_graph.read() as reader:
            counts, meta = reader.counts(), reader.meta()
            broken = [row for row in reader.files() if row.problem]
    except NotFound as error:
        yield Finding("code graph", Health.WARNING, str(error), advice=error.advice)
        return
    figures: dict[str, Json] = {**counts, "commit": meta.get("commit", ""), "skipped": meta.get("skipped", "{}")}
    told = ", ".join(f"{number} {name}" for name, number in counts.items())
    yield Finding("code graph", Health.WARNING if broken else Health.OK, told, figures)
    for row in broken:
        yield Finding("code graph", Health.WARNING, f"{row.path}: {row.problem}", advice="it has no symbols")
