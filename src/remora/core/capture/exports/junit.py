"""JUnit XML, what test runners write: every failed test, and every suite with how it went."""

from collections import Counter
from dataclasses import dataclass, field
from xml.parsers import expat

from remora.core import policy
from remora.core.capture.artifacts import Artifact, ArtifactList, check_count
from remora.core.capture.exports.reading import ExportPlace, Gathered, line, paragraphs, paths, seconds
from remora.core.errors import InvalidInput
from remora.core.records.model import whole_text
from remora.core.records.schema import ARTIFACTS_MAX
from remora.core.records.vocabulary import RecordKind, VerificationStatus

_ROOTS = ("testsuites", "testsuite")
_OUTCOMES = ("failure", "error", "skipped")


@dataclass(slots=True)
class _Test:
    """One test case; the last outcome counts where a runner tried it again."""

    name: str
    classname: str
    file: str
    at: str = ""
    outcome: str = "passed"
    message: str = ""
    words: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Suite:
    """One suite that holds tests itself."""

    name: str
    timestamp: str = ""
    file: str = ""
    tests: dict[str, _Test] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def read(data: bytes, place: ExportPlace) -> ArtifactList:
    """Artifacts of a report. Documents that declare entities are refused; nothing outside the file is ever read."""
    document = _Document()
    try:
        document.parse(data)
    except expat.ExpatError as error:
        where = f"line {error.lineno}, column {error.offset + 1}"
        raise InvalidInput("file", f"is not XML: {expat.ErrorString(error.code)} at {where}") from error
    except ValueError as error:  # an encoding that expat asks Python for
        raise InvalidInput("file", f"is not XML: {str(error)[:120]}") from error
    found = Gathered(skipped=document.skipped)
    for index, suite in enumerate(document.suites):
        found.take(index, suite, lambda each: _artifacts(each, place))
    check_count([artifact for _, artifact in found.artifacts if not artifact.settles])
    _bound(found)
    return found.result()


def _bound(found: Gathered) -> None:
    """So many passed tests are compared with what failed before as a file may hold artifacts; more are counted."""
    kept, compared = [], 0
    for index, artifact in found.artifacts:
        compared += artifact.settles
        if artifact.settles and compared > ARTIFACTS_MAX:
            found.skipped[f"passed tests beyond the first {ARTIFACTS_MAX}"] += 1
        else:
            kept.append((index, artifact))
    found.artifacts = kept


def _artifacts(suite: _Suite, place: ExportPlace) -> list[Artifact]:
    moment = seconds({"timestamp": suite.timestamp}, "timestamp")
    failed = [test for test in suite.tests.values() if test.outcome in ("failure", "error")]
    found = [_failed(suite, test, moment, place) for test in failed]
    again = [_passed(suite, test, moment, place) for test in suite.tests.values() if test.outcome == "passed"]
    return [_whole(suite, failed, moment, place), *found, *again]


def _whole(suite: _Suite, failed: list[_Test], moment: int | None, place: ExportPlace) -> Artifact:
    counts = Counter(test.outcome for test in suite.tests.values())
    broken = bool(failed or suite.errors)
    ran = len(suite.tests) - counts["skipped"]
    status = VerificationStatus.FAILED if broken else VerificationStatus.PASSED if ran else VerificationStatus.UNKNOWN
    said = ", ".join(f"{counts[word]} {word}" for word in ("passed", "failure", "error", "skipped") if counts[word])
    names = "\n".join(f"- {_shown(test)}: {line(test.message, 120)}" for test in failed)
    return Artifact(
        kind=RecordKind.CI_RUN,
        external_id=suite.name[: policy.ARTIFACT_ID_MAX_CHARS],
        title=line(f"Tests of {suite.name} {status.value}: {said}"),
        summary=paragraphs(f"{len(suite.tests)} tests: {said}.", names, *suite.errors),
        source_uri=f"junit:{suite.name}",
        repository=place.repository,
        occurred_at=moment,
        status=status.value,
        affected_files=paths(place, [suite.file, *(test.file for test in failed)]),
        verification_status=status,
        verification_notes=said,
    )


def _failed(suite: _Suite, test: _Test, moment: int | None, place: ExportPlace) -> Artifact:
    said = "errored" if test.outcome == "error" else "failed"
    return Artifact(
        kind=RecordKind.CI_RUN,
        external_id=f"{suite.name}#{_shown(test)}"[: policy.ARTIFACT_ID_MAX_CHARS],
        title=line(f"{_shown(test)} {said}: {test.message or _first_line(test)}"),
        summary=paragraphs(test.message, "".join(test.words), f"Test {_shown(test)} of {suite.name} {said}."),
        source_uri=f"junit:{suite.name}#{_shown(test)}",
        repository=place.repository,
        occurred_at=moment,
        status=VerificationStatus.FAILED.value,
        affected_symbols=_symbols(test),
        affected_files=paths(place, [test.file or suite.file]),
        verification_status=VerificationStatus.FAILED,
        verification_notes=line(test.message),
    )


def _passed(suite: _Suite, test: _Test, moment: int | None, place: ExportPlace) -> Artifact:
    """What a test that passes says, where it failed before."""
    return Artifact(
        kind=RecordKind.CI_RUN,
        external_id=f"{suite.name}#{_shown(test)}"[: policy.ARTIFACT_ID_MAX_CHARS],
        title=line(f"{_shown(test)} passes again"),
        summary=f"Test {_shown(test)} of {suite.name} passes again.",
        source_uri=f"junit:{suite.name}#{_shown(test)}",
        repository=place.repository,
        occurred_at=moment,
        status=VerificationStatus.PASSED.value,
        affected_symbols=_symbols(test),
        affected_files=paths(place, [test.file or suite.file]),
        verification_status=VerificationStatus.PASSED,
        settles=True,
    )


def _shown(test: _Test) -> str:
    return f"{test.classname}.{test.name}" if test.classname else test.name


def _first_line(test: _Test) -> str:
    lines = [words for words in "".join(test.words).splitlines() if words.strip()]
    return lines[0] if lines else "no message"


def _symbols(test: _Test) -> tuple[str, ...]:
    """The test's function, without parameters, within its class where the name of one stands before it."""
    name = test.name.partition("[")[0].partition("(")[0].strip()
    if not name.isidentifier():
        return ()
    holder = test.classname.rpartition(".")[2].rpartition("::")[2]
    return (f"{holder}.{name}" if holder[:1].isupper() and holder.isidentifier() else name,)


class _Document:
    """Reads one document in a stream of tags; its suites are those that hold tests or errors of their own."""

    def __init__(self) -> None:
        self.suites: list[_Suite] = []
        self.skipped: Counter[str] = Counter()
        self._tags: list[str] = []
        self._suites: list[_Suite] = []
        self._test: _Test | None = None
        self._words: list[str] | None = None

    def parse(self, data: bytes) -> None:
        """Read it all; raises `ExpatError` or `InvalidInput`."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = _refuse_entity
        parser.ExternalEntityRefHandler = _refuse_entity
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.Parse(data, True)
        names: Counter[str] = Counter()
        for suite in self.suites:  # suites of one name are different ones; their order tells them apart
            names[suite.name] += 1
            suite.name += f" ({names[suite.name]})" if names[suite.name] > 1 else ""

    def _start(self, tag: str, given: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if not self._tags and tag not in _ROOTS:
            raise InvalidInput("file", f"<{tag[:40]}> is not a test report", allowed="testsuites, testsuite")
        self._tags.append(tag)
        if len(self._tags) > policy.ARTIFACT_XML_DEPTH_MAX:
            raise InvalidInput("file", "is nested too deeply", allowed=f"{policy.ARTIFACT_XML_DEPTH_MAX} levels")
        if tag == "testsuite":
            name = line(whole_text(given.get("name", "")), 300) or line(given.get("package", ""), 300) or "tests"
            self._suites.append(_Suite(name, given.get("timestamp", ""), given.get("file", "")))
        elif tag == "testcase" and self._test is None:
            name, holder = line(given.get("name", ""), 300) or "test", line(given.get("classname", ""), 300)
            self._test = _Test(name, holder, given.get("file", ""))
        elif tag in _OUTCOMES:
            self._outcome(tag, given)

    def _outcome(self, tag: str, given: dict[str, str]) -> None:
        test = self._test
        if test is None:  # an error of the suite itself, such as a file that could not be loaded
            if self._suites and tag != "skipped":
                self._suites[-1].errors.append(line(given.get("message", "") or tag))
        elif self._tags[-2] == "testcase":
            test.outcome = tag if test.outcome in ("passed", "skipped") else test.outcome
            test.message = test.message or given.get("message", "") or given.get("type", "")
            self._words = test.words

    def _text(self, words: str) -> None:
        if self._words is not None and sum(map(len, self._words)) <= 2 * policy.ARTIFACT_SUMMARY_MAX_CHARS:
            self._words.append(words)

    def _end(self, _: str) -> None:
        tag = self._tags.pop()
        if tag in _OUTCOMES:
            self._words = None
        elif tag == "testcase" and self._test is not None and "testcase" not in self._tags:
            self._keep(self._test)
            self._test = None
        elif tag == "testsuite":
            suite = self._suites.pop()
            if suite.tests or suite.errors:
                self.suites.append(suite)
            else:
                self.skipped["suites without tests of their own"] += 1

    def _keep(self, test: _Test) -> None:
        if not self._suites:
            self._suites.append(_Suite("tests"))
        tests = self._suites[-1].tests
        if _shown(test) in tests:
            self.skipped["earlier tries of a test"] += 1
        tests[_shown(test)] = test


def _refuse_entity(*_: object) -> int:
    raise InvalidInput("file", "declares entities, which a test report has no use for")
