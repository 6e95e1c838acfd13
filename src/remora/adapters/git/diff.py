"""The `Diffs` port: touched lines and changed files between commits, and of the working tree."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from remora.adapters.git.reader import check_revision
from remora.adapters.git.runner import GitFailed, GitRunner
from remora.core.capture.patch import CommitPatch, parse_patches, split_lines
from remora.core.capture.paths import stored_path
from remora.core.codegraph.diff import ChangedFile
from remora.core.errors import NotFound, SourceFailed
from remora.core.policy import RENAME_LIMIT
from remora.ports import Checkout, TreeDiff

_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all", "-M", f"-l{RENAME_LIMIT}")
_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74de5321",
}
_CHANGES = {"A": "added", "M": "modified", "D": "deleted", "R": "renamed", "C": "copied", "T": "type_changed"}


class GitDiffs:
    """Reads through one runner; holds no state but the checkout."""

    def __init__(self, checkout: Checkout, environ: Mapping[str, str]) -> None:
        self._checkout = checkout
        self._runner = GitRunner(checkout.root, environ)

    def working_tree(self, base: str = "HEAD") -> TreeDiff:
        """What the working tree changes against a commit, untracked files included."""
        self._require_git()
        if self._checkout.bare:
            raise SourceFailed("a bare repository has no working tree", advice="give BASE..HEAD")
        found = self._resolve(base, or_empty=base == "HEAD")
        files = list(self._names(found))
        listed = self._runner.run("ls-files", "-o", "--exclude-standard", "-z")
        # A nested repository is listed as one name with a slash at its end; our own folder is nobody's work.
        left_out = (b"/", b"")
        names = sorted(
            name for name in listed.split(b"\0") if name[-1:] not in left_out and not name.startswith(b".remora/")
        )
        files += [ChangedFile(stored_path(name), "added") for name in names]
        return TreeDiff(found, "", tuple(files), self._patch(found))

    def between(self, base: str, head: str) -> TreeDiff:
        """What `head` changed since it parted from `base`; from `base` itself when they share no history."""
        self._require_git()
        start, end = self._resolve(base), self._resolve(head)
        with suppress(GitFailed, IndexError):
            start = self._runner.run("merge-base", start, end).decode("ascii").split()[0]
        return TreeDiff(start, end, tuple(self._names(start, end)), self._patch(start, end))

    def _require_git(self) -> None:
        if self._checkout.common_dir is None:
            raise SourceFailed(
                f"{str(self._checkout.root)!r} is not in a git repository", advice="make one with `git init`"
            )

    def _resolve(self, revision: str, *, or_empty: bool = False) -> str:
        check_revision(revision)
        try:
            answer = self._runner.run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        except GitFailed as error:
            if or_empty:
                return _EMPTY_TREE[self._checkout.object_format]
            raise NotFound(f"no commit is named {revision[:200]!r}", advice="see `git log --oneline`") from error
        return answer.decode("ascii").split("\n")[-2]

    def _names(self, *ends: str) -> Iterator[ChangedFile]:
        parts = iter(self._runner.run("diff", "--name-status", "-z", *_PLAIN, *ends, "--").split(b"\0"))
        for status in parts:
            change = _CHANGES.get(status[:1].decode("ascii", "replace"), "modified")
            first = next(parts, None)
            if not status or first is None:
                return
            second = next(parts, b"") if status[:1] in b"RC" else b""
            old = stored_path(first) if second else ""
            yield ChangedFile(stored_path(second or first), change, old)

    def _patch(self, *ends: str) -> CommitPatch:
        chunks = self._runner.stream("diff", "-p", "-U0", "--full-index", *_PLAIN, *ends, "--")
        lines = (line for part in ((b"commit 0",), split_lines(chunks)) for line in part)
        return next(parse_patches(lines), CommitPatch("0"))
