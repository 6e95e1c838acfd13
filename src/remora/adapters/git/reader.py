"""The `Git` port: commits, patches, blobs and files of one repository, each read by one streaming process."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

from remora.adapters.git.runner import GitFailed, GitRunner
from remora.adapters.git.walk import list_commits, reachable
from remora.core.capture.git_log import LOG_FORMAT, LogParser, RawCommit, UnreadableCommit
from remora.core.capture.patch import PATCH_FORMAT, CommitPatch, parse_patches, split_lines
from remora.core.capture.paths import stored_path
from remora.core.errors import InvalidInput, NotFound, SourceFailed
from remora.core.policy import RENAME_LIMIT, UNREADABLE_COMMITS_MAX
from remora.ports import Checkout, CommitList, HistoryRange, TrackedFile

_LOG = ("log", "--no-walk=unsorted", "--stdin", "--no-ext-diff", "--no-textconv", "--no-color")
_NAMES = ("-z", "--raw", "--no-abbrev", f"--format={LOG_FORMAT}")
_RENAMES = ("-M", "-C", f"-l{RENAME_LIMIT}")
_ANCESTOR_BATCH_MAX = 4_096
_HEX = re.compile(r"[0-9a-f]{4,64}")


class GitReader:
    """Reads through one runner; holds no state but the checkout."""

    def __init__(self, checkout: Checkout, environ: Mapping[str, str]) -> None:
        self._checkout = checkout
        self._runner = GitRunner(checkout.root, environ)

    @property
    def checkout(self) -> Checkout:
        """Where this is."""
        return self._checkout

    def resolve(self, revision: str) -> str:
        """Full id of the commit a name stands for; raises `NotFound`."""
        self._require_git()
        check_revision(revision)
        try:
            answer = self._runner.run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        except GitFailed as error:
            if error.exit_code == 128 and "needed a single revision" in error.stderr.lower():
                raise NotFound(f"no commit is named {revision[:200]!r}", advice="see `git log --oneline`") from error
            raise
        return answer.decode("ascii").split("\n")[-2]

    def list_commits(self, history: HistoryRange) -> CommitList:
        """The range's commits, newest first; empty in a repository without commits."""
        self._require_git()
        if not history.all_refs:
            check_revision(history.revision)
        if history.exclude:
            check_revision(history.exclude)
        return list_commits(self._runner, history)

    def commits(self, listing: CommitList) -> Iterator[RawCommit | UnreadableCommit]:
        """The listed commits with their changed paths: ordinary ones, then merges."""
        self._require_git()
        cut = self._cut()
        for commit in self._log(listing.commits, _RENAMES):
            yield commit if commit[0] not in cut else _without_changes(commit)
        yield from self._log(listing.merges, ("-c", "--no-renames"))

    def patches(self, shas: Sequence[str]) -> Iterator[CommitPatch]:
        """Touched lines of ordinary commits; those of a shallow clone's edge and unreadable ones are left out."""
        self._require_git()
        cut = self._cut()
        left = [sha for sha in shas if sha not in cut]
        args = (*_LOG, "-p", "-U0", "--full-index", *_RENAMES[::2], f"--format={PATCH_FORMAT}")
        for _ in range(UNREADABLE_COMMITS_MAX):
            if not left:
                return
            done = 0
            try:
                chunks = self._runner.stream(*args, stdin=_lines(left))
                for patch in parse_patches(split_lines(chunks)):
                    done += 1
                    yield patch
            except GitFailed as error:
                if not _is_damage(error):
                    raise
                left = left[done + 1 :]
            else:
                return

    def blobs(self, names: Sequence[str], *, max_bytes: int) -> Iterator[bytes | None]:
        """Content per blob id or `revision:path`, in this order; None when absent or larger than `max_bytes`."""
        self._require_git()
        if any("\n" in name for name in names):
            raise InvalidInput("names", "a blob name holds a newline")
        sizes = self._runner.run("cat-file", "--batch-check=%(objecttype) %(objectsize) ", stdin=_lines(names))
        fits = [_fits(line, max_bytes) for line in sizes.split(b"\n")[: len(names)]]
        wanted = [name for name, fit in zip(names, fits, strict=True) if fit]
        contents = self._contents(wanted)
        for fit in fits:
            yield next(contents) if fit else None

    def expand(self, abbreviations: Collection[str]) -> Mapping[str, str]:
        """Abbreviated commit ids -> full ids, for those that name exactly one commit."""
        self._require_git()
        asked = [text for text in abbreviations if _HEX.fullmatch(text)]
        if not asked:
            return {}
        answer = self._runner.run(
            "cat-file", "--batch-check=%(objectname)", stdin=_lines(f"{text}^{{commit}}" for text in asked)
        )
        found = zip(asked, answer.decode("utf-8", "replace").split("\n"), strict=False)
        return {text: full for text, full in found if _HEX.fullmatch(full)}

    def nearest_ancestor(self, revision: str, known: Callable[[Sequence[str]], Collection[str]]) -> str:
        """The first commit on the first-parent line from `revision` that is known, "" when none is."""
        lines = split_lines(self._runner.stream("rev-list", "--first-parent", self.resolve(revision)))
        size = 1
        while batch := [line.decode("ascii") for line in islice(lines, size)]:
            found = known(batch)
            if found:
                return next(sha for sha in batch if sha in found)
            size = min(size * 8, _ANCESTOR_BATCH_MAX)
        return ""

    def unreachable(self, shas: Collection[str]) -> frozenset[str]:
        """Which of these commits no branch, tag, remote or HEAD reaches any more."""
        self._require_git()
        return frozenset(shas).difference(reachable(self._runner)) if shas else frozenset()

    def tracked(self, revision: str = "") -> tuple[TrackedFile, ...]:
        """Files of the index, or of a commit (then with sizes); submodules are left out."""
        self._require_git()
        if revision:
            args = ("ls-tree", "-r", "-z", "-l", "--full-tree", self.resolve(revision))
            return tuple(_from_tree(entry) for entry in _entries(self._runner.run(*args)) if b" blob " in entry)
        if self._checkout.bare:
            return ()
        entries = _entries(self._runner.run("ls-files", "-s", "-z"))
        found = {file.path: file for file in map(_from_index, entries) if file.mode != "160000"}
        return tuple(found.values())

    def _require_git(self) -> None:
        if self._checkout.common_dir is None:
            raise SourceFailed(
                f"{str(self._checkout.root)!r} is not in a git repository", advice="make one with `git init`"
            )

    def _cut(self) -> frozenset[str]:
        """Commits whose parents a shallow clone left out; diffs against nothing would list every file."""
        assert self._checkout.common_dir is not None
        try:
            text = (self._checkout.common_dir / "shallow").read_text("ascii", "replace")
        except OSError:
            return frozenset()
        return frozenset(text.split())

    def _log(self, shas: Sequence[str], options: Sequence[str]) -> Iterator[RawCommit | UnreadableCommit]:
        """The commits in order. Git stops at one that it cannot read: it is named, and the rest asked anew."""
        left = shas
        failures = 0
        while left:
            parser = LogParser()
            try:
                for chunk in self._runner.stream(*_LOG, *_NAMES, *options, stdin=_lines(left)):
                    yield from parser.feed(chunk)
                yield from parser.finish()
            except GitFailed as error:
                failures += 1
                if not _is_damage(error) or failures > UNREADABLE_COMMITS_MAX:
                    raise
                yield from parser.finish()
                if parser.count < len(left):
                    yield UnreadableCommit(left[parser.count], error.stderr.strip().rsplit("\n", 1)[-1][:200])
                left = left[parser.count + 1 :]
            else:
                return

    def _contents(self, names: Sequence[str]) -> Iterator[bytes]:
        if not names:
            return
        buffer = _Buffer(self._runner.stream("cat-file", "--batch=%(objectsize)", stdin=_lines(names)))
        for _ in names:
            size = int(buffer.line())
            yield buffer.take(size)
            buffer.take(1)


class _Buffer:
    """Takes lines and counted bytes from chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._held = bytearray()

    def line(self) -> bytes:
        """Up to the next newline, without it."""
        while (end := self._held.find(b"\n")) < 0:
            self._held += next(self._chunks)
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        return line

    def take(self, size: int) -> bytes:
        """Exactly `size` bytes."""
        while len(self._held) < size:
            self._held += next(self._chunks)
        data = bytes(self._held[:size])
        del self._held[:size]
        return data


def check_revision(revision: str) -> None:
    """Refuse names that git would take for something else."""
    if not revision or revision.startswith("-") or not revision.isprintable() or len(revision) > 1_000:
        raise InvalidInput("revision", f"{revision[:80]!r} is not a revision", allowed="a commit id, branch or tag")


def _lines(names: "Collection[str] | Iterator[str]") -> bytes:
    return "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")


def _is_damage(error: GitFailed) -> bool:
    """Whether git stopped at an object and not at a wrong call."""
    return error.exit_code in (128, 1) or error.exit_code < 0


def _without_changes(commit: RawCommit | UnreadableCommit) -> RawCommit | UnreadableCommit:
    return commit._replace(changes=(), cut=True) if isinstance(commit, RawCommit) else commit


def _fits(line: bytes, max_bytes: int) -> bool:
    kind, _, rest = line.partition(b" ")
    return kind == b"blob" and rest.strip().isdigit() and int(rest) <= max_bytes


def _entries(answer: bytes) -> list[bytes]:
    return [entry for entry in answer.split(b"\0") if entry]


def _from_tree(entry: bytes) -> TrackedFile:
    meta, _, path = entry.partition(b"\t")
    mode, _, blob, size = meta.decode("ascii").split()
    return TrackedFile(stored_path(path), mode, blob, int(size) if size.isdigit() else -1)


def _from_index(entry: bytes) -> TrackedFile:
    meta, _, path = entry.partition(b"\t")
    mode, blob, _ = meta.decode("ascii").split()
    return TrackedFile(stored_path(path), mode, blob)
