"""Where git looks for a repository's hooks, and whether that folder is this repository's own."""

from collections.abc import Mapping
from pathlib import Path

from remora.adapters.git.runner import GitFailed, GitRunner
from remora.core.errors import InvalidInput
from remora.ports import Checkout, HooksPlace


def hooks_place(checkout: Checkout, environ: Mapping[str, str]) -> HooksPlace:
    """The folder of `core.hooksPath`, else of the common git dir. Folders that other repositories use are refused."""
    if checkout.common_dir is None:
        raise InvalidInput("path", f"{checkout.root} is not under git", allowed="a git repository")
    configured = _configured(GitRunner(checkout.root, environ))
    if configured is None:
        return HooksPlace(checkout.common_dir / "hooks")
    scope, value = configured
    folder = (checkout.root / Path(value).expanduser()).resolve()
    if scope not in ("local", "worktree"):
        return HooksPlace(
            folder, f"core.hooksPath is set in the {scope} config and names {folder} for all repositories"
        )
    if not any(folder.is_relative_to(place) for place in (checkout.root, checkout.common_dir)):
        return HooksPlace(folder, f"core.hooksPath names {folder}, which is outside this repository")
    if folder.name == "_" and folder.parent.name == ".husky":  # husky writes that folder anew and runs the one above
        return HooksPlace(folder.parent, tracked=True)
    return HooksPlace(folder, tracked=not folder.is_relative_to(checkout.common_dir))


def _configured(runner: GitRunner) -> tuple[str, str] | None:
    """(scope, value) as the user's config has it; the runner's own override has the scope `command`."""
    try:
        answer = runner.run("config", "--null", "--show-scope", "--get-all", "core.hooksPath")
    except GitFailed as error:
        if error.exit_code == 1:
            return None
        raise
    words = answer.decode("utf-8", "surrogateescape").split("\0")
    pairs = [pair for pair in zip(words[::2], words[1::2], strict=False) if pair[0] != "command"]
    return pairs[-1] if pairs and pairs[-1][1] else None
