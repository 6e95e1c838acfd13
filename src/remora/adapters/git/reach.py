"""Which commits no branch, tag, remote or checked-out HEAD holds any more, without walking more than what moved."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from remora.adapters.git.runner import GitRunner
from remora.ports import Checkout

_FORMAT = "--format=%(refname) %(objectname)"
_NO_HISTORY = ("refs/stash", "refs/notes/", "refs/replace/", "refs/original/", "refs/bisect/")
"""Not history of the project: stashes, notes, rewritten leftovers."""


class GitReach:
    """Implements `ports.CommitReach` for one repository and all its worktrees."""

    def __init__(self, checkout: Checkout, environ: Mapping[str, str]) -> None:
        self._runner = GitRunner(checkout.root, environ)
        self._common_dir = checkout.common_dir

    def tips(self) -> tuple[str, ...]:
        """Ids of all commits that refs and HEADs name, sorted; () outside of git."""
        if self._common_dir is None:
            return ()
        found: set[str] = set()
        for line in self._runner.run("for-each-ref", _FORMAT).decode("utf-8", "replace").splitlines():
            name, _, target = line.partition(" ")
            if not name.startswith(_NO_HISTORY):
                found.add(target)
        heads = (_detached(place) for place in (self._common_dir, *self._worktrees(self._common_dir)))
        return tuple(sorted(found.union(head for head in heads if head)))

    def dropped(self, starts: Collection[str], tips: Sequence[str]) -> frozenset[str]:
        """Commits that `starts` reach and `tips` do not; starts that are not there are passed over."""
        if not starts:
            return frozenset()
        asked = "".join(f"{line}\n" for line in (*sorted(starts), *(f"^{tip}" for tip in tips)))
        answer = self._runner.run("rev-list", "--ignore-missing", "--stdin", stdin=asked.encode("ascii"))
        return frozenset(answer.decode("ascii").split())

    def there(self, commits: Collection[str]) -> frozenset[str]:
        """Which of these commits the repository still has, reached or not."""
        if not commits:
            return frozenset()
        asked = sorted(commits)
        answer = self._runner.run(
            "cat-file", "--batch-check=%(objecttype)", stdin="".join(f"{sha}\n" for sha in asked).encode("ascii")
        )
        kinds = answer.decode("utf-8", "replace").split("\n")
        return frozenset(sha for sha, kind in zip(asked, kinds, strict=False) if kind == "commit")

    @staticmethod
    def _worktrees(common_dir: Path) -> list[Path]:
        try:
            return [place for place in (common_dir / "worktrees").iterdir() if place.is_dir()]
        except OSError:
            return []


def _detached(git_dir: Path) -> str:
    """The commit that a HEAD names by itself, "" when it names a branch."""
    try:
        text = (git_dir / "HEAD").read_text("ascii", "replace").strip()
    except OSError:
        return ""
    return text if len(text) >= 40 and all(char in "0123456789abcdef" for char in text) else ""
