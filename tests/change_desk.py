"""A git repository with its code graph, record log and everything that telling a change's impact needs; all real."""

from dataclasses import dataclass, field

from code_checkout import GRANT, Checkout
from git_shapes import ENVIRON, git
from remora.adapters.communities_file import CommunitiesFile
from remora.adapters.git.checkout import discover
from remora.adapters.git.diff import GitDiffs
from remora.adapters.git.reader import GitReader
from remora.adapters.graph_metrics import RustworkxMetrics
from remora.adapters.pull_requests import GitHubPullRequests
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.adapters.walk import SourceTree
from remora.bootstrap import parsed_spans
from remora.core.capture.documents import is_document
from remora.core.codegraph.answers import Freshness
from remora.core.codegraph.change_impact import Impact
from remora.core.codegraph.view import unique_symbol
from remora.ports import SourceFiles, SpanSource
from remora.usecases.get_pr_impact import PullRequestRequest, get_pr_impact
from remora.usecases.ingest_git import IngestRequest, ingest_git
from remora.usecases.predict_impact import PredictRequest, predict_impact
from remora.usecases.working_changes_impact import WorkingRequest, working_changes_impact


@dataclass
class TickingClock:
    """A second passes at every look."""

    seconds: int = 1_700_000_000

    def now(self) -> int:
        self.seconds += 1
        return self.seconds * 1_000_000

    def token(self, size_bytes: int) -> str:
        return "0" * (2 * size_bytes)


@dataclass
class Desk(Checkout):
    """The ports of one repository."""

    git: GitReader = field(init=False)
    diffs: GitDiffs = field(init=False)
    pull_requests: GitHubPullRequests = field(init=False)
    communities: CommunitiesFile = field(init=False)
    metrics: RustworkxMetrics = field(default_factory=RustworkxMetrics)
    clock: TickingClock = field(default_factory=TickingClock)
    records: FileRecordLog = field(init=False)
    record_index: SqliteRecordIndex = field(init=False)
    spans: SpanSource = field(init=False)
    documents: SourceFiles = field(init=False)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        git(self.root, "init", "-q", "-b", "main")
        super().__post_init__()
        checkout = discover(self.root, ENVIRON, self.clock)
        self.repository = checkout.repository
        derived = self.root / ".remora" / "cache"
        self.git, self.diffs = GitReader(checkout, ENVIRON), GitDiffs(checkout, ENVIRON)
        self.pull_requests = GitHubPullRequests(self.root, ENVIRON, program="no-such-program")
        self.communities = CommunitiesFile(derived)
        self.records = FileRecordLog(checkout.home)
        self.record_index = SqliteRecordIndex(derived / "records.sqlite3", self.records)
        self.spans = parsed_spans(self.parser)
        self.documents = SourceTree(self.root, is_document)

    def redact(self, text: str) -> str:
        return text.replace("hunter2", "[redacted]")

    def symbol(self, name: str) -> tuple[str, str] | None:
        return unique_symbol(self.code_graph.read, name)

    def freshness(self) -> Freshness:
        return super().freshness()

    def commit(self, message: str, **files: str) -> str:
        """Write files as `write` does and commit everything."""
        self.write(**files)
        git(self.root, "add", "-A", "--", ".", ":!.remora")
        git(self.root, "commit", "-qm", message)
        return git(self.root, "rev-parse", "HEAD")

    def remember(self) -> None:
        """Record the history."""
        ingest_git(self, GRANT, IngestRequest(history=True))

    def working(self, **options: object) -> Impact:
        return working_changes_impact(self, GRANT, WorkingRequest(**options))[0]  # type: ignore[arg-type]

    def predicted(self, *files: str, **options: object) -> Impact:
        return predict_impact(self, GRANT, PredictRequest(files, **options))[0]  # type: ignore[arg-type]

    def ranged(self, revision: str) -> Impact:
        return get_pr_impact(self, GRANT, PullRequestRequest(revision))[0]
