"""Walks the commit graph: which commits a range holds, also where parts of the history are missing."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from remora.adapters.git.runner import GitFailed, GitRunner
from remora.core.capture.patch import split_lines
from remora.core.errors import NotFound
from remora.core.policy import MISSING_COMMITS_MAX
from remora.ports import CommitList, HistoryRange

_ALL_REFS = (
    # Not history of the project: stashes, notes, rewritten leftovers.
    "--exclude=refs/stash",
    "--exclude=refs/notes/*",
    "--exclude=refs/replace/*",
    "--exclude=refs/original/*",
    "--exclude=refs/bisect/*",
    "--all",
)
_CHILD = re.compile(r"Failed to traverse parents of commit ([0-9a-f]+)")
_MISSING = re.compile(
    r"(?:Could not read|unable to read|bad object|Could not parse object|missing object)\D*([0-9a-f]{40,64})"
)


def list_commits(runner: GitRunner, history: HistoryRange) -> CommitList:
    """The range's commits, newest first. A commit whose parent is missing is walked as if it had only the others."""
    names = _named(runner, history)
    if not names:
        return CommitList()
    options = ["--parents"]
    if history.single:
        options.append("--no-walk")
    if history.since:
        options.append(f"--max-age={history.since}")
    missing: dict[str, None] = {}
    parents = dict(_walk(runner, [*options, *names], missing))
    return CommitList(
        commits=tuple(sha for sha, count in parents.items() if count < 2),
        merges=tuple(sha for sha, count in parents.items() if count >= 2),
        missing=tuple(missing),
        branch="" if history.all_refs else _branch(runner, history.revision),
    )


def reachable(runner: GitRunner) -> frozenset[str]:
    """Every commit that a branch, a tag, a remote or HEAD reaches."""
    head = ["HEAD"] if _exists(runner, "HEAD") else []
    return frozenset(sha for sha, _ in _walk(runner, [*_ALL_REFS, *head], {}))


def _named(runner: GitRunner, history: HistoryRange) -> list[str]:
    """What to walk from, as full ids where names were given; [] when there are no commits at all."""
    if history.all_refs:
        return [*_ALL_REFS, *(["HEAD"] if _exists(runner, "HEAD") else [])]
    names = []
    for revision, prefix in ((history.revision, ""), (history.exclude, "^")):
        if not revision:
            continue
        if sha := _exists(runner, revision):
            names.append(prefix + sha)
        elif revision == "HEAD":
            return []
        else:
            raise NotFound(f"no commit is named {revision[:200]!r}", advice="see `git log --oneline --all`")
    return names


def _exists(runner: GitRunner, revision: str) -> str:
    """Full id of the commit, "" when the name stands for none."""
    try:
        answer = runner.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except GitFailed as error:
        if error.exit_code == 1 or "unknown revision" in error.stderr:
            return ""
        raise
    return answer.decode("ascii").split("\n")[-2]


def _branch(runner: GitRunner, revision: str) -> str:
    """The branch that a revision names, "" for anything else."""
    try:
        name = runner.run("rev-parse", "--symbolic-full-name", "--end-of-options", revision)
    except GitFailed:
        return ""
    text = name.decode("utf-8", "replace").strip().split("\n")[-1]
    return text.removeprefix("refs/heads/") if text.startswith("refs/heads/") else ""


def _walk(runner: GitRunner, args: list[str], missing: dict[str, None]) -> Iterator[tuple[str, int]]:
    """(commit, number of parents); grafts of this walk alone stand in for parents that are not there."""
    grafts: dict[str, str] = {}
    while True:
        with _graft_file(grafts) as environ:
            try:
                chunks = runner.stream("rev-list", *args, extra_environ=environ)
                for line in split_lines(chunks):
                    text = line.decode("ascii")
                    yield text.partition(" ")[0], text.count(" ")
            except GitFailed as error:
                child, gone = _CHILD.search(error.stderr), _MISSING.search(error.stderr)
                if not child or not gone or gone[1] in missing or len(missing) >= MISSING_COMMITS_MAX:
                    raise
                missing[gone[1]] = None
                grafts[child[1]] = _present_parents(runner, child[1])
            else:
                return


def _present_parents(runner: GitRunner, sha: str) -> str:
    """The commit and those of its parents that exist, as a line of a graft file."""
    content = runner.run("cat-file", "commit", sha).partition(b"\n\n")[0].decode("utf-8", "replace")
    parents = [line[7:] for line in content.split("\n") if line.startswith("parent ")]
    answer = runner.run("cat-file", "--batch-check=%(objecttype)", stdin="".join(f"{p}\n" for p in parents).encode())
    kept = [p for p, kind in zip(parents, answer.decode().split("\n"), strict=False) if kind == "commit"]
    return " ".join((sha, *kept))


@contextmanager
def _graft_file(grafts: dict[str, str]) -> Iterator[dict[str, str]]:
    """Environment for one walk; empty without grafts."""
    if not grafts:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="remora-") as folder:
        path = Path(folder) / "grafts"
        path.write_text("".join(f"{line}\n" for line in grafts.values()), "ascii")
        yield {"GIT_GRAFT_FILE": str(path)}
