"""Install or remove the git hooks that record commits, beside whatever hooks a repository already has."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from remora.core.clients.git_hook import (
    CHAINED,
    HOOK_NAMES,
    HookName,
    chaining_hook,
    hook_body,
    install_hook,
    is_chaining,
    is_shell_script,
    uninstall_hook,
)
from remora.core.errors import InvalidInput
from remora.ports import HooksPlace, ProjectFiles

Outcome = Literal["created", "changed", "chained", "unchanged", "removed", "refused", "absent"]


@dataclass(frozen=True, slots=True)
class GitHooksRequest:
    """`command` starts the CLI: an absolute path and arguments."""

    place: HooksPlace
    command: Sequence[str]
    remove: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class HookChange:
    """What happened to one hook; `reason` says why it was refused."""

    name: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GitHooksResult:
    """Every hook, in order, and what the user should know."""

    hooks: tuple[HookChange, ...]
    notes: tuple[str, ...] = ()


def install_git_hooks(files: ProjectFiles, request: GitHooksRequest) -> GitHooksResult:
    """Put the block into each hook, or take it out. `files` is the hooks folder. One refused hook stops no other."""
    if request.place.refused:
        refused = tuple(HookChange(name, "refused", request.place.refused) for name in HOOK_NAMES)
        return GitHooksResult(refused, ("`remora records ingest --since` in a hook of your own does the same",))
    changes = []
    for name in HOOK_NAMES:
        try:
            changes.append(_removed(files, request, name) if request.remove else _installed(files, request, name))
        except InvalidInput as error:
            changes.append(HookChange(name, "refused", error.problem))
    tracked = request.place.tracked and not request.remove
    note = f"{request.place.folder} may be under version control: others get these hooks, which wait for their remora"
    return GitHooksResult(tuple(changes), (note,) if tracked else ())


def _installed(files: ProjectFiles, request: GitHooksRequest, name: HookName) -> HookChange:
    body = hook_body(name, request.command)
    raw = files.read(name)
    text = None if raw is None else raw.decode("utf-8", "surrogateescape")
    if text is None:
        return _written(files, request, name, install_hook(None, body), "created")
    if not files.is_executable(name):
        return HookChange(
            name, "refused", "the hook there is not executable, so git ignores it; ours would switch it on"
        )
    if is_chaining(text):
        wanted = chaining_hook(body)
        return _written(files, request, name, wanted, "unchanged" if wanted == text else "chained")
    if is_shell_script(text):
        wanted = install_hook(text, body)
        return _written(files, request, name, wanted, "unchanged" if wanted == text else "changed")
    if files.read(name + CHAINED) is not None:
        return HookChange(name, "refused", f"{name}{CHAINED} is in the way")
    if not request.dry_run:
        files.move(name, name + CHAINED)
    return _written(files, request, name, chaining_hook(body), "chained")


def _removed(files: ProjectFiles, request: GitHooksRequest, name: HookName) -> HookChange:
    raw = files.read(name)
    if raw is None:
        return HookChange(name, "absent")
    text = raw.decode("utf-8", "surrogateescape")
    if is_chaining(text) and files.read(name + CHAINED) is not None:
        if not request.dry_run:
            files.move(name + CHAINED, name)
        return HookChange(name, "removed")
    rest = uninstall_hook(text)
    if rest is None:
        if not request.dry_run:
            files.remove(name)
        return HookChange(name, "removed")
    return _written(files, request, name, rest, "unchanged" if rest == text else "removed")


def _written(files: ProjectFiles, request: GitHooksRequest, name: str, text: str, outcome: Outcome) -> HookChange:
    if outcome != "unchanged" and not request.dry_run:
        files.write(name, text.encode("utf-8", "surrogateescape"), executable=True)
    return HookChange(name, outcome)
