"""From what a caller said to checked statements, and from these to what must be looked up before planning."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from remora.core import policy
from remora.core.errors import InvalidBatch, InvalidInput
from remora.core.facts.layout import alias_id, entity_id, fact_id, tombstone_id
from remora.core.facts.words import (
    SAME_AS,
    Name,
    Redact,
    citation_list,
    confidence_value,
    entity_name,
    predicate_name,
    type_name,
)
from remora.core.graph import Json
from remora.core.source import Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """A fact as a caller states it, unchecked."""

    subject: str
    predicate: str
    object: str
    confidence: float | None = None
    subject_type: str = ""
    object_type: str = ""
    citations: tuple[str, ...] = ()


_MEMBERS = ("subject", "predicate", "object", "confidence", "subject_type", "object_type", "citations")


def parse_triple(where: str, raw: object) -> Triple:
    """Read a JSON object; unknown and missing members are errors, values are checked by `Batch.resolve`."""
    if not isinstance(raw, Mapping):
        raise InvalidInput(where, "is not an object", allowed=", ".join(_MEMBERS))
    unknown = sorted(str(key)[:40] for key in raw if key not in _MEMBERS)
    if unknown:
        raise InvalidInput(where, f"has unknown members {unknown[:5]}", allowed=", ".join(_MEMBERS))
    missing = [key for key in _MEMBERS[:3] if key not in raw]
    if missing:
        raise InvalidInput(where, f"lacks {', '.join(missing)}", allowed=", ".join(_MEMBERS))
    return Triple(**raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One checked triple. `origin` and `promoted` are set when an existing fact is carried into another scope."""

    index: int
    subject: Name
    predicate: str
    object: Name
    subject_type: str = ""
    object_type: str = ""
    confidence: float = 1.0
    citations: tuple[str, ...] = ()
    origin: Provenance | None = None
    promoted: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """What a plan must have before it: items by id, open values of (subject, predicate), everything around entities."""

    facts: tuple[str, ...] = ()
    tombstones: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Checked statements for one scope. A caller's batch is all or nothing; an extracted one drops singly."""

    scope: str
    statements: tuple[Statement, ...]
    replace: bool = False
    extracted: bool = False
    dropped: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def resolve(
        cls,
        triples: Sequence[Triple],
        *,
        scope: str,
        user: str,
        redact: Redact,
        replacing: bool = False,
        extracted: bool = False,
    ) -> "Batch":
        """Check every triple. Raises `InvalidBatch` with every error, unless the batch was extracted by a model."""
        if len(triples) > policy.TRIPLES_PER_BATCH:
            raise InvalidInput("triples", f"has {len(triples):,} triples", allowed=f"{policy.TRIPLES_PER_BATCH:,}")
        statements: list[Statement] = []
        errors: list[InvalidInput] = []
        for index, triple in enumerate(triples):
            problems: list[InvalidInput] = []
            statement = _checked(index, triple, user, redact, problems, extracted=extracted)
            if statement is None:
                errors.extend(problems[:1] if extracted else problems)
            else:
                statements.append(statement)
        if errors and not extracted:
            raise InvalidBatch("triples", errors)
        dropped = Counter(error.field.rpartition(".")[2] for error in errors)
        return cls(
            scope=scope, statements=tuple(statements), replace=replacing, extracted=extracted, dropped=dict(dropped)
        )

    def alias_ids(self) -> dict[str, str]:
        """Alias node id -> name key, for every name in the batch."""
        keys = {name.key for statement in self.statements for name in (statement.subject, statement.object)}
        return {alias_id(self.scope, key): key for key in keys}

    def needs(self, aliases: Mapping[str, str]) -> Needs:
        """What to look up, given name key -> entity id for the names that exist."""
        facts: dict[str, None] = {}
        subjects: dict[str, None] = {}
        predicates: dict[str, None] = {}
        for statement in self.statements:
            if statement.predicate == SAME_AS:
                continue
            subject = aliases.get(statement.subject.key) or entity_id(self.scope, statement.subject.key)
            target = aliases.get(statement.object.key) or entity_id(self.scope, statement.object.key)
            facts[fact_id(self.scope, subject, statement.predicate, target)] = None
            if self.replace and statement.subject.key in aliases:
                subjects[subject] = None
                predicates[statement.predicate] = None
        unknown = (key for key in self.alias_ids().values() if key not in aliases)
        return Needs(
            facts=tuple(facts),
            tombstones=tuple(tombstone_id(item) for item in (*facts, *(entity_id(self.scope, key) for key in unknown))),
            subjects=tuple(subjects),
            predicates=tuple(predicates),
            around=self._merging(aliases),
        )

    def _merging(self, aliases: Mapping[str, str]) -> tuple[str, ...]:
        """The existing entities that a SAME_AS of this batch may merge."""
        uses = Counter(key for statement in self.statements for key in {statement.subject.key, statement.object.key})
        merging: dict[str, None] = {}
        for statement in self.statements:
            if statement.predicate != SAME_AS:
                continue
            keys = (statement.subject.key, statement.object.key)
            known = [aliases[key] for key in keys if key in aliases]
            fresh = [key for key in keys if key not in aliases]
            # A name that is new here and used nowhere else is an alias and nothing more: no fact moves.
            if len(set(known)) == 2 or any(uses[key] > 1 for key in fresh):
                merging.update(dict.fromkeys(known))
        return tuple(merging)


def _checked(
    index: int, triple: Triple, user: str, redact: Redact, problems: list[InvalidInput], *, extracted: bool
) -> Statement | None:
    where = f"triples[{index}]"
    parts: dict[str, object] = {}
    checks: Iterable[tuple[str, object]] = (
        ("subject", lambda at: entity_name(at, triple.subject, redact, user)),
        ("predicate", lambda at: predicate_name(at, triple.predicate, redact)),
        ("object", lambda at: entity_name(at, triple.object, redact, user)),
        ("subject_type", lambda at: type_name(at, triple.subject_type, redact)),
        ("object_type", lambda at: type_name(at, triple.object_type, redact)),
        ("confidence", lambda at: _confidence(at, triple.confidence, extracted=extracted)),
        ("citations", lambda at: citation_list(at, triple.citations, redact)),
    )
    for name, check in checks:
        try:
            parts[name] = check(f"{where}.{name}")  # type: ignore[operator]
        except InvalidInput as error:
            problems.append(error)
    return None if problems else Statement(index=index, **parts)  # type: ignore[arg-type]


def _confidence(where: str, raw: object, *, extracted: bool) -> float:
    value = confidence_value(where, raw)
    if not extracted:
        return 1.0 if value is None else value
    if value is None or value < policy.EXTRACTED_CONFIDENCE_MIN:
        raise InvalidInput(where, "is missing or too low", allowed=f"from {policy.EXTRACTED_CONFIDENCE_MIN}")
    return value


def carried(batch: Batch, origins: Sequence[tuple[Provenance, Mapping[str, Json]]]) -> Batch:
    """The batch with each statement's first provenance and who promoted it, in order."""
    return replace(
        batch,
        statements=tuple(
            replace(statement, origin=origin, promoted=promoted)
            for statement, (origin, promoted) in zip(batch.statements, origins, strict=True)
        ),
    )
