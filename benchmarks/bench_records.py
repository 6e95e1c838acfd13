"""Records at size: bulk append, an index built from nothing, a new process with the index present, warm search,
one append seen by another process.

Run: `python benchmarks/bench_records.py [RECORDS]` (default 100000). CPU times are of this process; the corpus is drawn
from a seed: subjects whose words fall in frequency like those of text, paths of a tree, a few symbols.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core.records.model import SHARED, PathChange, Record, SourceArtifact, SymbolAnchor
from remora.core.records.search import RecordQuery, search
from remora.core.records.vocabulary import PathChangeKind, RecordKind
from remora.core.scope import operator_grant

OPERATOR = operator_grant()
REPOSITORY = "https://example.org/team/large"
WORDS, PATHS, QUERIES = 12_000, 4_000, 200


class Corpus:
    """Words, paths and records from one seed."""

    def __init__(self, seed: int = 7) -> None:
        self._rng = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        self._words = ["".join(self._rng.choices(letters, k=self._rng.randint(3, 10))) for _ in range(WORDS)]
        self._upto = list(accumulate(1 / (rank + 10) for rank in range(WORDS)))
        self._paths = [f"src/{self._one()}/{self._one()}_{self._one()}.py" for _ in range(PATHS)]

    def _one(self) -> str:
        return self._rng.choices(self._words, cum_weights=self._upto)[0]

    def text(self, words: int) -> str:
        """That many words."""
        return " ".join(self._rng.choices(self._words, cum_weights=self._upto, k=words))

    def records(self, count: int, first: int = 0) -> Iterator[Record]:
        """Commits, one in ten of them another kind."""
        others = (RecordKind.REGRESSION, RecordKind.ARCHITECTURE_DECISION, RecordKind.REVIEW_FINDING)
        for number in range(first, first + count):
            sha = f"{self._rng.getrandbits(160):040x}"
            paths = self._rng.sample(self._paths, self._rng.randint(1, 6))
            kind = RecordKind.CHANGE_EPISODE if number % 10 else self._rng.choice(others)
            yield Record.create(
                idempotency_key=f"git:{sha}" if number % 10 else f"task:{number}",
                kind=kind,
                title=self.text(self._rng.randint(4, 9)),
                summary=self.text(self._rng.randint(5, 40)),
                repository=REPOSITORY,
                commit=sha,
                occurred_at=1_400_000_000 + number * 600,
                recorded_at=1_700_000_000,
                sources=(SourceArtifact("git", f"git:{sha}"),),
                affected_symbols=tuple(
                    SymbolAnchor(f"python:{path}#{name}", name, path) for path in paths[:2] for name in [self._one()]
                ),
                path_changes=tuple(PathChange(PathChangeKind.MODIFIED, path, path) for path in paths),
                access_scope=SHARED,
            )

    def queries(self) -> list[RecordQuery]:
        """Questions of two to five words, one in four on a symbol or path."""
        return [
            RecordQuery(
                self.text(self._rng.randint(2, 5)), self._rng.choice(self._paths) if n % 4 == 0 else "", limit=20
            )
            for n in range(QUERIES)
        ]


_ONE = """
import sys, time
from pathlib import Path
from remora.adapters.record_files.log import FileRecordLog
from remora.adapters.sqlite.record_index import SqliteRecordIndex
from remora.core.records.search import RecordQuery, search
from remora.core.scope import operator_grant
home = Path(sys.argv[1])
index = SqliteRecordIndex(home / "cache" / "records.sqlite3", FileRecordLog(home))
with index.view(operator_grant()) as view:
    found = search(view, RecordQuery(sys.argv[2]))
print(found.total, found.index.origin)
"""


def measured(label: str, cpu: float, wall: float, note: str = "") -> None:
    print(f"{label:44} {cpu:8.2f} s CPU {wall:8.2f} s wall  {note}", flush=True)


def new_process(home: Path, query: str) -> tuple[float, str]:
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _ONE, str(home), query], capture_output=True, text=True, timeout=300, check=True
    )
    return time.perf_counter() - started, done.stdout.strip()


def warm(index: SqliteRecordIndex, queries: list[RecordQuery]) -> list[float]:
    """Milliseconds of CPU per query: a search waits for nothing, and other work on the machine is not ours."""
    taken = []
    for query in queries:
        started = time.process_time()
        with index.view(OPERATOR) as view:
            search(view, query)
        taken.append((time.process_time() - started) * 1000)
    return sorted(taken)


def main(count: int) -> None:
    corpus = Corpus()
    made = list(corpus.records(count))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / ".remora"
        log = FileRecordLog(home)
        cpu, wall = time.process_time(), time.perf_counter()
        done = log.append_many(OPERATOR, made)
        measured(f"append_many of {done.recorded}", time.process_time() - cpu, time.perf_counter() - wall)
        del made
        index = SqliteRecordIndex(home / "cache" / "records.sqlite3", log)
        cpu, wall = time.process_time(), time.perf_counter()
        with index.view(OPERATOR) as view:
            total = view.total
        size = (home / "cache" / "records.sqlite3").stat().st_size / 1e6
        measured(f"index of {total} built from nothing", time.process_time() - cpu, time.perf_counter() - wall,
                 f"{size:.0f} MB")  # fmt: skip
        queries = corpus.queries()
        started = [new_process(home, "one of these words")[0] for _ in range(3)]
        print(f"{'new process, index present':44} {min(started):8.2f} s wall (interpreter and imports included)")
        warm(index, queries[:20])
        taken = warm(index, queries)
        print(
            f"{'warm search':44} p50 {taken[len(taken) // 2]:.1f} ms, p95 {taken[int(len(taken) * 0.95)]:.1f} ms of CPU"
        )
        before, after = [], []
        for number, record in enumerate(corpus.records(10, first=count + 1)):
            before += warm(index, queries[number : number + 1])
            log.append(OPERATOR, record)
            after += warm(index, queries[number : number + 1])
        added = sorted(late - soon for soon, late in zip(before, after, strict=True))
        print(f"{'one append, seen by the next query':44} {added[len(added) // 2]:.1f} ms of CPU more at the median")
        seconds, said = new_process(home, "anything")
        print(f"{'seen by another process':44} {said} after {seconds:.2f} s")
        assert json.dumps(said).startswith(f'"{count + 10} ')
        index.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
