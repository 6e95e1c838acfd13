"""The one health check: every part says how it stands, what it skipped, and what to do about what is wrong."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import Protocol

from remora.core import policy
from remora.core.clients.hook_trail import BACKUP_MARK, GIT_MARK, mark_of, read_journal
from remora.core.codegraph.answers import Freshness
from remora.core.codegraph.snapshot import indexable
from remora.core.embedding import question
from remora.core.encounters.schema import FAMILY as ENCOUNTERS
from remora.core.encounters.schema import NODE_TYPES
from remora.core.encounters.times import shown
from remora.core.errors import NotFound, RemoraError
from remora.core.facts.layout import FAMILY as FACTS
from remora.core.graph import Json
from remora.core.infusion.meanings import FAMILY as MEANINGS
from remora.core.jobs import FAMILY as JOBS
from remora.core.jobs import JOB, OPEN, JobState, read_job
from remora.core.policy import JOB_MAX_SECONDS, JOBS_KEPT
from remora.core.recall.vector_leg import EMBEDDED, IDEAS
from remora.core.recall.vector_state import read_state
from remora.core.scope import REPOSITORY, SYSTEM, Grant, Right
from remora.core.text import counted
from remora.ports import (
    Checkout,
    Clock,
    CodeGraphStore,
    Embedder,
    Git,
    HookTrail,
    Models,
    RecordIndex,
    Repository,
    SourceFiles,
    Store,
    StoreAdmin,
)

_MEMORY = ".remora/memory/"
_SKIPS_SHOWN = 5
_DOCTOR = "`remora doctor`"
_ITSELF = f"run {_DOCTOR}"


class DoctorPorts(Protocol):
    """What this verb needs of the ports."""

    @property
    def repository(self) -> Repository: ...
    @property
    def checkout(self) -> Checkout: ...
    @property
    def embedder(self) -> Embedder | None: ...
    @property
    def store(self) -> Store: ...
    @property
    def store_admin(self) -> StoreAdmin: ...
    @property
    def record_index(self) -> RecordIndex: ...
    @property
    def code_graph(self) -> CodeGraphStore: ...
    @property
    def freshness(self) -> Callable[[], Freshness]: ...
    @property
    def sources(self) -> SourceFiles: ...
    @property
    def git(self) -> Git: ...
    @property
    def hook_trail(self) -> HookTrail: ...
    @property
    def notices(self) -> tuple[str, ...]: ...
    @property
    def models(self) -> Models: ...
    @property
    def clock(self) -> Clock: ...


_EMBED_ADVICE = "for recall by meaning, install the extra: pip install 'remora[embed]'"


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
        ("settings", lambda: _settings(ports, grant)),
        ("repository", lambda: _repository(ports)),
        ("store", lambda: _store(ports, grant)),
        ("facts", lambda: _facts(ports, grant)),
        ("encounters", lambda: _encounters(ports, grant)),
        ("vectors", lambda: _vectors(ports, grant)),
        ("records", lambda: _records(ports, grant)),
        ("code graph", lambda: _code_graph(ports)),
        ("hooks", lambda: _hooks(ports, grant)),
        ("models", lambda: _models(ports, grant)),
        ("jobs", lambda: _jobs(ports, grant)),
        ("backup", lambda: _backup(ports, grant)),
    )
    findings: list[Finding] = []
    for name, look in parts:
        try:
            findings.extend(look())
        except RemoraError as error:
            findings.append(Finding(name, Health.FAILED, str(error), advice=error.advice))
    return Diagnosis(tuple(map(_not_itself, findings)))


def _not_itself(finding: Finding) -> Finding:
    """Nobody who reads the health check needs to be told to run it."""
    advice = finding.advice.removeprefix(_ITSELF).lstrip("; ")
    return replace(finding, advice=advice.removesuffix(f", or see {_DOCTOR}"))


def _settings(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    """Only what is wrong; whose settings they are is the operator."""
    for notice in ports.notices if grant.operator else ():
        yield Finding("settings", Health.WARNING, notice, advice="check the spelling, or remove it")


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


_OF_ALL = ("items", "seq", "size_bytes", "wal_bytes", "repositories", "former_versions")
"""Figures of what everyone keeps, private sessions included: the operator's."""


def _store(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    figures: dict[str, Json] = dict(ports.store_admin.health())
    warnings = str(figures.pop("warnings", ""))
    health = Health.WARNING if warnings else Health.OK
    told = f"{figures.get('engine')} layout {figures.get('layout')}"
    if "constraints" in figures:
        ready = f"{figures['constraints']} constraints and {figures['indexes']} indexes in order"
        told += f" on {figures.get('neo4j')}, {ready}"
    if grant.operator:
        told += f", {figures.get('items')} items"
    else:
        figures = {name: value for name, value in figures.items() if name not in _OF_ALL}
    yield Finding("store", health, warnings or told, figures)


def _facts(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    with ports.store.read(grant) as view:
        counts = view.counts((REPOSITORY,))
    figures: dict[str, Json] = {label: n for (family, label, _), n in sorted(counts.items()) if family == FACTS}
    yield Finding("facts", Health.OK, ", ".join(f"{n} {label}" for label, n in figures.items()) or "none yet", figures)


def _encounters(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    """What was figured out, and for how much of it there is a meaning that a matcher can choose by."""
    with ports.store.read(grant) as view:
        counts = view.counts((REPOSITORY, SYSTEM))
    held = {label: n for (family, label, scope), n in counts.items() if family == ENCOUNTERS and scope == REPOSITORY}
    nodes = sum(n for label, n in held.items() if label in NODE_TYPES)
    ideas = sum(held.get(label, 0) for label in IDEAS)
    made = sum(n for (family, _, _), n in counts.items() if family == MEANINGS)
    figures: dict[str, Json] = {"nodes": nodes, "relations": sum(held.values()) - nodes, "meanings": made}
    told = f"{nodes} nodes, {figures['relations']} relations" if nodes else "none yet"
    meanings = f"; {made} of {ideas} ideas have a meaning" if made else ""
    yield Finding("encounters", Health.OK, told + meanings, figures)


def _vectors(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    """Whether the embedder works now, when it last made vectors, and how much has none."""
    embedder = ports.embedder
    if embedder is None:
        yield Finding("vectors", Health.OK, "no embedder is in use: recall goes by words alone", advice=_EMBED_ADVICE)
        return
    problem = question(embedder, "what works").problem
    with ports.store.read(grant) as view:
        counts, state = view.counts((REPOSITORY,)), read_state(view, embedder.id)
        held = missing = 0
        for family, labels in EMBEDDED.items():
            held += sum(counts.get((family, label, REPOSITORY), 0) for label in labels)
            lacking = view.vectors_missing(
                (family,), (REPOSITORY,), embedder.id, labels=labels, limit=policy.EMBED_RUN_MAX
            )
            missing += len(lacking)
    figures: dict[str, Json] = {"model": embedder.id, "vectors": held - missing, "missing": missing}
    told = f"{embedder.id}: {held - missing} vectors, {missing} missing"
    if state is not None and grant.operator:  # counts private vectors as well
        figures |= {"made": state.made, "refused": state.refused, "last": shown(state.at) if state.at else None}
        told += f"; last made {shown(state.at)}" if state.at else ""
        told += f", {state.refused} unusable ones refused" if state.refused else ""
    if problem:
        yield Finding("vectors", Health.WARNING, f"{problem}; recall goes by words alone", figures, _EMBED_ADVICE)
    else:
        yield Finding("vectors", Health.OK, told, figures, "run `remora reindex --vectors`" if missing else "")


def _records(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    with ports.record_index.view(grant) as view:
        state, total = view.state, view.total
    if not state.origin:  # a restricted principal is told nothing of files, which hold records of everyone
        yield Finding("records", Health.OK, counted(total, "record"), {"records": total})
        return
    figures: dict[str, Json] = {"records": total, "units": state.units, "index": state.origin, "bad": len(state.bad)}
    figures["unreachable_commits"] = state.unreachable
    told = f"{counted(total, 'record')} in {counted(state.units, 'file')}"
    lost = f", {counted(state.unreachable, 'commit')} that no branch holds any more" if state.unreachable else ""
    yield Finding("records", Health.OK, told + lost, figures)
    yield from _tracked(ports)
    if grant.operator and (wide := ports.hook_trail.open_to_others()):
        told = f"others on this machine may read {counted(wide, 'file')} of .remora/memory and .remora/cache"
        advice = f"run `chmod -R go= .remora/memory .remora/cache` in {ports.checkout.root}"
        yield Finding("records", Health.WARNING, told, {"open_to_others": wide}, advice)
    for bad in state.bad:
        advice = "the file is left as it is; restore it from a backup or move it away"
        yield Finding("records", Health.FAILED, f"{bad.unit}: {bad.problem}", {"id": bad.record_id}, advice)


def _tracked(ports: DoctorPorts) -> Iterator[Finding]:
    """Records that came with a clone were put there by whoever could push."""
    if ports.checkout.common_dir is None:
        return
    count = sum(file.path.startswith(_MEMORY) for file in ports.git.tracked())
    if count:
        told = f"git tracks {count} files below {_MEMORY}: whoever may push decides what is remembered here"
        advice = f"`git rm -r --cached {_MEMORY}`; share authored records with `remora init --share-records`"
        yield Finding("records", Health.WARNING, told, {"tracked": count}, advice)


def _code_graph(ports: DoctorPorts) -> Iterator[Finding]:
    try:
        fresh = ports.freshness()
        with ports.code_graph.read() as reader:
            counts, meta = reader.counts(), reader.meta()
            broken = [row for row in reader.files() if row.problem]
    except NotFound as error:
        yield Finding("code graph", Health.WARNING, str(error), advice=error.advice)
        return
    skipped: dict[str, Json] = dict(indexable(ports.sources.listing()).skipped)
    figures: dict[str, Json] = {
        **counts, "commit": meta.get("commit", ""), "skipped": skipped, "stale_files": len(fresh.stale_files),
    }  # fmt: skip
    names = {"unresolved": "unresolved call"}
    told = ", ".join(f"{count} {names.get(name, name)}{'s' * (count != 1)}" for name, count in counts.items())
    told += "; skipped " + ", ".join(f"{count} {reason}" for reason, count in skipped.items()) if skipped else ""
    yield Finding("code graph", Health.WARNING if broken else Health.OK, told, figures)
    if fresh.stale_files:
        stale = f"{counted(len(fresh.stale_files), 'file')} changed since it was built"
        yield Finding("code graph", Health.WARNING, stale, advice="run `remora update`")
    for row in broken:
        yield Finding("code graph", Health.WARNING, f"{row.path}: {row.problem}", advice="it has no symbols")


def _hooks(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    """When each hook last worked, and what the others left undone; the trail is the operator's to read."""
    if not grant.operator:
        return
    marks = {name: at for name, at in ports.hook_trail.marks().items() if name != BACKUP_MARK}
    figures: dict[str, Json] = {name: shown(at) for name, at in sorted(marks.items())}
    worked = [f"{' '.join(mark_of(name))} {shown(at)}" for name, at in sorted(marks.items())]
    yield Finding("hooks", Health.OK, "last worked: " + ", ".join(worked) if worked else "none has run yet", figures)
    trail = read_journal(ports.hook_trail.journal())
    if trail.skipped or trail.unreadable:
        rows = [f"{count} {client} {event} ({reason})" for (client, event, reason), count in trail.skipped]
        skips: dict[str, Json] = {" ".join(key): count for key, count in trail.skipped}
        told = "left undone: " + ", ".join(islice(rows, _SKIPS_SHOWN)) + f"; last {trail.last}"
        yield Finding("hooks", Health.OK, told, skips | {"unreadable_lines": trail.unreadable})
    errors = [line for line in ports.hook_trail.git_journal() if line.startswith(("remora: ", "Error: "))]
    if errors:
        told = f"the git hooks' log holds {len(errors)} errors, the last: {errors[-1][:200]}"
        health = Health.OK if GIT_MARK in marks else Health.WARNING
        yield Finding("hooks", health, told, {"git_errors": len(errors)}, "see .remora/cache/git-hook.log")


def _models(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    """Every route by its name; one that may not be used is said here before a task needs it."""
    if not grant.operator:
        return
    routes = ports.models.described()
    if not routes:
        yield Finding("models", Health.OK, "none is routed: offloaded turns are read by rules", {"routes": 0})
    for route in routes:
        refused = " is refused: " in route
        yield Finding("models", Health.WARNING if refused else Health.OK, route, {"routes": len(routes)})


def _jobs(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    """What became of offloaded turns; a queue that stands still shows by its age."""
    if not grant.operator:
        return
    with ports.store.read(grant) as view:
        rows, _ = view.scan(JOBS, JOB, (SYSTEM,), limit=2 * JOBS_KEPT, newest_first=True)
    jobs = [read_job(row) for row in rows]
    counts = Counter(job.state.value for job in jobs)
    waiting = [job.created for job in jobs if job.state in OPEN]
    age = (ports.clock.now() - min(waiting)) // 1_000_000 if waiting else 0
    done = max((job.ended for job in jobs if job.state is JobState.DONE), default=0)
    skipped = sum((Counter(job.skipped) for job in jobs), Counter[str]())
    figures: dict[str, Json] = {**counts, "oldest_waiting_seconds": age, "transcripts_skipped": dict(skipped)}
    if done:
        figures["last_done"] = shown(done)
    told = ", ".join(f"{count} {state}" for state, count in sorted(counts.items())) or "none yet"
    old = age > 2 * JOB_MAX_SECONDS
    yield Finding("jobs", Health.WARNING if old else Health.OK, told + (f", waiting {age} s" if age else ""), figures)


def _backup(ports: DoctorPorts, grant: Grant) -> Iterator[Finding]:
    if not grant.operator:
        return
    last = ports.hook_trail.marks().get(BACKUP_MARK)
    told = f"last made {shown(last)}" if last else "none was made"
    yield Finding("backup", Health.OK, told, {"last": shown(last) if last else None})
