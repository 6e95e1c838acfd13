"""The closed vocabularies of records: kinds and their families, relations, lifecycles, outcomes, statuses."""

from enum import StrEnum


class RecordKind(StrEnum):
    """What a record is about."""

    CHANGE_EPISODE = "change_episode"
    ISSUE = "issue"
    INCIDENT = "incident"
    PULL_REQUEST = "pull_request"
    REVIEW_FINDING = "review_finding"
    CI_RUN = "ci_run"
    ARCHITECTURE_DECISION = "architecture_decision"
    INVARIANT = "invariant"
    CONVENTION = "convention"
    PROCEDURE = "procedure"
    FAILED_ATTEMPT = "failed_attempt"
    REGRESSION = "regression"
    RELEASE = "release"
    CUSTOMER_REPORT = "customer_report"
    AGENT_TASK = "agent_task"
    SEMANTIC_SUMMARY = "semantic_summary"


class Family(StrEnum):
    """The four families of memory; a kind may belong to several."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    NEGATIVE = "negative"


class Relation(StrEnum):
    """How a record relates to another record or artifact."""

    CHANGED = "changed"
    INTRODUCED = "introduced"
    FIXED = "fixed"
    REGRESSED = "regressed"
    MOTIVATED_BY = "motivated_by"
    REVIEWED_BY = "reviewed_by"
    FAILED_BECAUSE = "failed_because"
    VERIFIED_BY = "verified_by"
    SUPERSEDES = "supersedes"
    IMPLEMENTS_DECISION = "implements_decision"
    VIOLATES_DECISION = "violates_decision"
    SIMILAR_TO = "similar_to"
    OBSERVED_IN = "observed_in"
    ROLLED_BACK_BY = "rolled_back_by"
    APPLIES_TO = "applies_to"
    DERIVED_FROM = "derived_from"


class Lifecycle(StrEnum):
    """The state a record was written in; `superseded` and `retracted` are hidden from ordinary reads."""

    ACTIVE = "active"
    RESOLVED = "resolved"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class VerificationStatus(StrEnum):
    """Whether what the record says was checked, and how it went."""

    UNKNOWN = "unknown"
    PASSED = "passed"
    FAILED = "failed"
    PARTIAL = "partial"


class PathChangeKind(StrEnum):
    """What a commit did to a path."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type_changed"


class SymbolChangeKind(StrEnum):
    """What a commit did to a symbol's identity."""

    RENAMED = "renamed"


class ScopeKind(StrEnum):
    """Who may see a record: its owner, readers of the repository, or members of a named workspace."""

    PRIVATE = "private"
    REPOSITORY = "repository"
    WORKSPACE = "workspace"


class Outcome(StrEnum):
    """How an agent's change went; decides the kind of its record."""

    SUCCEEDED = "succeeded"
    PARTIAL = "partial"
    FAILED = "failed"
    ROLLED_BACK = "rolled_back"
    REGRESSED = "regressed"


FAMILIES: dict[Family, frozenset[RecordKind]] = {
    Family.EPISODIC: frozenset(
        {
            RecordKind.CHANGE_EPISODE,
            RecordKind.ISSUE,
            RecordKind.INCIDENT,
            RecordKind.PULL_REQUEST,
            RecordKind.REVIEW_FINDING,
            RecordKind.CI_RUN,
            RecordKind.REGRESSION,
            RecordKind.RELEASE,
            RecordKind.CUSTOMER_REPORT,
            RecordKind.AGENT_TASK,
        }
    ),
    Family.SEMANTIC: frozenset({RecordKind.SEMANTIC_SUMMARY, RecordKind.ARCHITECTURE_DECISION, RecordKind.INVARIANT}),
    Family.PROCEDURAL: frozenset({RecordKind.PROCEDURE, RecordKind.CONVENTION}),
    Family.NEGATIVE: frozenset(
        {RecordKind.FAILED_ATTEMPT, RecordKind.REGRESSION, RecordKind.REVIEW_FINDING, RecordKind.INCIDENT}
    ),
}

PITFALLS = FAMILIES[Family.NEGATIVE]
"""Kinds that warn. A `ci_run` whose verification failed warns too: see `Record.is_pitfall`."""

DECISIONS = frozenset(
    {RecordKind.ARCHITECTURE_DECISION, RecordKind.INVARIANT, RecordKind.CONVENTION, RecordKind.PROCEDURE}
)
"""Kinds that govern."""

OUTCOME_KINDS: dict[Outcome, RecordKind] = {
    Outcome.SUCCEEDED: RecordKind.CHANGE_EPISODE,
    Outcome.PARTIAL: RecordKind.CHANGE_EPISODE,
    Outcome.FAILED: RecordKind.FAILED_ATTEMPT,
    Outcome.ROLLED_BACK: RecordKind.FAILED_ATTEMPT,
    Outcome.REGRESSED: RecordKind.REGRESSION,
}

HIDDEN_LIFECYCLES = frozenset({Lifecycle.SUPERSEDED, Lifecycle.RETRACTED})
"""Kept for audit, left out of ordinary reads."""
