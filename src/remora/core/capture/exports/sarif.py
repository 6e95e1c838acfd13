"""SARIF 2.1.0, what static analysers write: each finding with its rule, its message and its place."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from remora.core import ids, policy
from remora.core.capture.artifacts import Artifact, ArtifactList, check_count
from remora.core.capture.exports.reading import (
    ExportPlace,
    Gathered,
    Item,
    an_object,
    choice,
    filled,
    line,
    objects,
    paragraphs,
    paths,
    seconds,
    text,
)
from remora.core.errors import InvalidInput
from remora.core.records.vocabulary import RecordKind

_VERSION = "2.1.0"
_KINDS = ("fail", "open", "review", "pass", "notapplicable", "informational")
_NO_FINDINGS = frozenset({"pass", "notapplicable", "informational"})
_LEVELS = ("none", "note", "warning", "error")


def recognises(body: object) -> bool:
    """Whether a JSON value is a SARIF log."""
    return isinstance(body, dict) and isinstance(body.get("runs"), list)


def read(body: Mapping[str, Any], place: ExportPlace) -> ArtifactList:
    """Findings of every run. Results that say that nothing is wrong are left out, by their kind."""
    if body.get("version") != _VERSION:
        raise InvalidInput("version", f"{str(body.get('version'))[:40]!r} is not known", allowed=_VERSION)
    found, index = Gathered(), 0
    for number, run in enumerate(objects(body, "runs")):
        try:
            reader, results = _Run(run, place), objects(run, "results")
        except InvalidInput as error:
            raise InvalidInput(f"runs[{number}].{error.field}", error.problem, allowed=error.allowed) from error
        check_count([*range(index), *results])
        for result in results:
            found.take(index, result, reader.read)
            index += 1
    return found.result()


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a finding is: the path as the repository writes it ("" outside of it), as the report does, and lines."""

    path: str
    written: str
    lines: str

    @property
    def shown(self) -> str:
        """The place for people."""
        return (self.path or self.written) + (f":{self.lines}" if self.lines else "")


class _Run:
    """One run: its tool, its rules, its files, and where it was checked out."""

    def __init__(self, run: Item, place: ExportPlace) -> None:
        driver = an_object(an_object(run, "tool"), "driver")
        self._place = place
        self._tool = line(filled(driver, "name"), 100)
        self._rules = objects(driver, "rules")
        self._by_id = {text(rule, "id", ""): rule for rule in self._rules}
        self._files = objects(run, "artifacts")
        self._bases = an_object(run, "originalUriBaseIds")
        checkout = next(iter(objects(run, "versionControlProvenance")), {})
        self._repository = text(checkout, "repositoryUri", "") or place.repository
        self._commit, self._branch = text(checkout, "revisionId", ""), text(checkout, "branch", "")
        invocation = next(iter(objects(run, "invocations")), {})
        self._ended = seconds(invocation, "endTimeUtc", "startTimeUtc")
        self._same: Counter[str] = Counter()

    def read(self, result: Item) -> Iterable[Artifact] | str:
        """The finding, or why it is none."""
        kind = choice(result, "kind", _KINDS, "fail")
        if kind in _NO_FINDINGS:
            return f"results of kind {kind}"
        rule_id, rule = self._rule(result)
        level = choice(result, "level", _LEVELS, self._default_level(rule))
        message = self._message(result, rule)
        spots = [self._spot(location) for location in objects(result, "locations")]
        logical = tuple(_names(objects(result, "locations")))
        spot = spots[0] if spots else _Spot("", "", "")
        identity = self._identity(result, rule_id, spot, message)
        finding = Artifact(
            kind=RecordKind.REVIEW_FINDING,
            external_id=identity,
            title=line(f"{rule_id}: {message}"),
            summary=paragraphs(
                message,
                f"{level.capitalize()} of {self._tool}, rule {rule_id}"
                + (f", at {', '.join(spot.shown for spot in spots[:10])}." if spots else "."),
                text(an_object(rule, "fullDescription"), "text", "")
                or text(an_object(rule, "shortDescription"), "text", ""),
            ),
            source_uri=text(result, "hostedViewerUri", "") or f"sarif:{identity}",
            repository=self._repository,
            occurred_at=self._ended,
            status=_status(result),
            branch=self._branch,
            commit=self._commit,
            affected_symbols=logical[: policy.ARTIFACT_NAMES_MAX],
            affected_files=paths(self._place, (spot.path for spot in spots)),
        )
        return [finding]

    def _rule(self, result: Item) -> tuple[str, Item]:
        stated = an_object(result, "rule")
        rule_id = text(result, "ruleId", "") or text(stated, "id", "")
        index = result.get("ruleIndex", stated.get("index", -1))
        rule: Item = {}
        if isinstance(index, int) and 0 <= index < len(self._rules):
            rule = self._rules[index]
        rule = rule or self._by_id.get(rule_id, {})
        return line(rule_id or text(rule, "id", "") or "finding", 200), rule

    def _default_level(self, rule: Item) -> str:
        return text(an_object(rule, "defaultConfiguration"), "level", "warning")

    def _message(self, result: Item, rule: Item) -> str:
        message = an_object(result, "message")
        words = text(message, "text", "") or text(message, "markdown", "")
        if not words and text(message, "id", ""):
            words = text(an_object(an_object(rule, "messageStrings"), text(message, "id")), "text", "")
        if not words.strip():
            raise InvalidInput("message", "says nothing", allowed="text, markdown, or the id of a rule's message")
        values = message.get("arguments")
        for number, value in enumerate(values if isinstance(values, list) else ()):
            words = words.replace(f"{{{number}}}", str(value))
        return words

    def _spot(self, location: Item) -> _Spot:
        physical = an_object(location, "physicalLocation")
        written, base = self._uri(an_object(physical, "artifactLocation"))
        region = an_object(physical, "region")
        first, last = region.get("startLine"), region.get("endLine")
        lines = str(first) if isinstance(first, int) else ""
        if lines and isinstance(last, int) and last != first:
            lines += f"-{last}"
        whole = written if not base or "://" in written else base + written
        local = unquote(whole.removeprefix("file://")) if whole.startswith("file://") else unquote(whole)
        outside = "://" in local
        return _Spot("" if outside else self._place.path(local) or self._relative(written, base), written, lines)

    def _relative(self, written: str, base: str) -> str:
        """A path under a base folder of another machine: what is written is relative to the checkout there."""
        return self._place.path(unquote(written)) if base and "://" not in written else ""

    def _uri(self, file: Item) -> tuple[str, str]:
        """(address, base folder) of a file, which may be named by its place in the run's list."""
        index = file.get("index")
        if not text(file, "uri", "") and isinstance(index, int) and 0 <= index < len(self._files):
            file = an_object(self._files[index], "location")
        base = an_object(self._bases, text(file, "uriBaseId", "")) if text(file, "uriBaseId", "") else {}
        return text(file, "uri", ""), text(base, "uri", "")

    def _identity(self, result: Item, rule_id: str, spot: _Spot, message: str) -> str:
        """What stays when lines move: the tool's own fingerprint, else rule, file and words, counted where alike."""
        prints = an_object(result, "fingerprints") or an_object(result, "partialFingerprints")
        words: Sequence[str] = [f"{name}={value}" for name, value in sorted(prints.items())] or [message]
        head = f"{self._tool}/{rule_id}#{spot.path or spot.written}"
        name = f"{head[:400]}:{ids.digest(chr(0).join(words).encode())[:12]}"
        self._same[name] += 1
        return name if self._same[name] == 1 else f"{name}:{self._same[name]}"


def _names(locations: Iterable[Item]) -> Iterator[str]:
    for location in locations:
        for logical in objects(location, "logicalLocations"):
            name = text(logical, "fullyQualifiedName", "") or text(logical, "name", "")
            if name.strip():
                yield line(name)


def _status(result: Item) -> str:
    """A suppressed finding was rejected by someone; one that only the baseline has is gone."""
    if choice(result, "baselineState", ("", "new", "unchanged", "updated", "absent"), "") == "absent":
        return "resolved"
    states = {choice(each, "status", ("accepted", "underreview", "rejected"), "accepted")
              for each in objects(result, "suppressions")}  # fmt: skip
    return "dismissed" if "accepted" in states else "open"
