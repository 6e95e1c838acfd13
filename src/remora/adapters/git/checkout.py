"""Finds the repository around a folder and pins its identity; the one resolver for every writer."""

import contextlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remora.adapters.git.runner import GitFailed, GitRunner
from remora.core.capture.remote import normal_remote
from remora.core.errors import Corrupt, InvalidInput, SourceFailed, Unavailable
from remora.core.ids import repo_id
from remora.ports import Checkout, Clock, Repository

HOME_NAME = ".remora"
_PIN_FOLDER = "remora"
_IDENTITY_FILE = "identity"
_ALIASES_FILE = "aliases"
_IDENTITY_MAX_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class _Layout:
    """What git says about a folder."""

    shallow: bool
    object_format: str
    common_dir: Path
    root: Path | None


def discover(folder: Path, environ: Mapping[str, str], clock: Clock) -> Checkout:
    """The checkout that holds `folder`, with its pinned identity.

    The identity is that of the `origin` remote when one exists at first use, else random; it is written into the git
    common dir, so that worktrees and subfolders share it. A folder without git is identified by a file in `.remora/`
    of the nearest ancestor that has one, else of the folder itself. Raises `SourceFailed` when git refuses or `.git`
    points nowhere.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise InvalidInput("path", f"{str(folder)!r} is not a folder", allowed="an existing folder")
    runner = GitRunner(folder, environ)
    layout = _layout(runner, folder)
    if layout is None:
        return _plain_folder(folder, clock)
    identity, aliases = _pinned(layout.common_dir / _PIN_FOLDER, _origin(runner, layout), clock)
    main = _main_worktree(runner, layout)
    root = layout.root or main or layout.common_dir  # inside a `.git` folder the worktree is still the main one
    return Checkout(
        repository=Repository(identity, repo_id(identity), root=root, aliases=aliases),
        root=root,
        main_worktree=main,
        home=main / HOME_NAME if main else layout.common_dir / _PIN_FOLDER,
        common_dir=layout.common_dir,
        bare=root == layout.common_dir,
        shallow=layout.shallow,
        object_format=layout.object_format,
    )


def _layout(runner: GitRunner, folder: Path) -> _Layout | None:
    """None when no repository is around the folder."""
    _refuse_broken(folder)
    fixed = ("--is-inside-work-tree", "--is-shallow-repository", "--show-object-format")
    try:
        answer = runner.run("rev-parse", *fixed, "--path-format=absolute", "--git-common-dir")
    except GitFailed as error:
        if "not a git repository" not in error.stderr:
            raise
        _refuse_damaged(folder)
        return None
    inside, shallow, object_format, common = answer.split(b"\n", 3)
    root = _path(runner.run("rev-parse", "--show-toplevel")) if inside == b"true" else None
    if root is not None and not folder.is_relative_to(root):
        raise SourceFailed(f"the repository's core.worktree names {str(root)!r}, which does not hold this folder")
    return _Layout(
        shallow=shallow == b"true" or (_path(common) / "shallow").is_file(),
        object_format=object_format.decode("ascii"),
        common_dir=_path(common),
        root=root,
    )


def _path(answer: bytes) -> Path:
    return Path(os.fsdecode(answer.removesuffix(b"\n"))).resolve()


def _refuse_broken(folder: Path) -> None:
    """A `.git` file that is no pointer makes git fail with a message about its own format."""
    for place in (folder, *folder.parents):
        pointer = place / ".git"
        if pointer.is_dir():
            return
        if pointer.is_file():
            try:
                head = pointer.read_bytes()[:_IDENTITY_MAX_BYTES]
            except OSError:
                return  # git says what it may not read
            if not head.startswith(b"gitdir: ") or not head[len(b"gitdir: ") :].strip():
                raise SourceFailed(
                    f"the file {str(pointer)!r} should say where the git folder is, and does not",
                    advice="run `git worktree repair` or `git submodule update` in the main checkout, "
                    "or remove the file if this folder is not under git",
                )
            return


def _refuse_damaged(folder: Path) -> None:
    """Git takes a damaged repository for none at all, and looks further up."""
    for place in (folder, *folder.parents):
        pointer = place / ".git"
        if pointer.is_dir() and (pointer / "objects").is_dir() and (pointer / "refs").is_dir():
            raise SourceFailed(
                f"{str(pointer)!r} is a git folder that git cannot use: its HEAD is missing or damaged",
                advice=f"write the line `ref: refs/heads/<branch>` into {pointer / 'HEAD'}, then run `git fsck`",
            )
        if pointer.is_file() or pointer.is_symlink():
            raise SourceFailed(
                f"{str(pointer)!r} points to a git folder that does not exist or is not one",
                advice="run `git worktree repair` in the main checkout, or remove this worktree and add it again",
            )


def _main_worktree(runner: GitRunner, layout: _Layout) -> Path | None:
    """The main worktree's root; None for bare layouts and where git does not record it."""
    if layout.root is not None and layout.common_dir == layout.root / ".git":
        return layout.root
    config = ("config", "--file", str(layout.common_dir / "config"))
    if _setting(runner, *config, "--type=bool", "core.bare") == "true":
        return None
    named = _setting(runner, *config, "core.worktree")  # how a submodule's git dir knows its folder
    if named and _points_to(layout.common_dir / named / ".git", layout.common_dir):
        return (layout.common_dir / named).resolve()
    return layout.common_dir.parent if layout.common_dir.name == ".git" else None


def _points_to(pointer: Path, git_dir: Path) -> bool:
    """Whether a `.git` file names this git dir: a config alone could name any folder of the machine."""
    try:
        text = pointer.read_text("utf-8", "surrogateescape")
    except OSError:
        return False
    return text.startswith("gitdir:") and (pointer.parent / text[len("gitdir:") :].strip()).resolve() == git_dir


def _setting(runner: GitRunner, *args: str) -> str:
    """One config value, "" when unset."""
    try:
        return os.fsdecode(runner.run(args[0], "--null", *args[1:])).removesuffix("\0")
    except GitFailed as error:
        if error.exit_code == 1:
            return ""
        raise


def _origin(runner: GitRunner, layout: _Layout) -> str:
    """The normalised address of `origin`, "" without one."""
    url = _setting(runner, "config", "--get", "remote.origin.url")
    base = layout.root or layout.common_dir
    return normal_remote(url, base=base.as_posix()) if url else ""


def _pinned(folder: Path, present: str, clock: Clock) -> tuple[str, tuple[str, ...]]:
    """The pinned identity (pinning it now if needed) and the aliases; `present` is what the remote says now."""
    pin = folder / _IDENTITY_FILE
    identity = _read_pin(pin)
    if not identity:
        identity = _pin(pin, present or f"local:{clock.token(16)}", may_fail=bool(present))
    aliases = _read_lines(folder / _ALIASES_FILE)
    if present and present != identity and present not in aliases:
        aliases = (*aliases, present)
        with contextlib.suppress(OSError):  # a read-only repository: the alias holds for this run
            _append_line(folder / _ALIASES_FILE, present)
    return identity, aliases


def pin_identity(common_dir: Path, identity: str) -> None:
    """Pin the identity of a repository that has no remote to take it from; one that is pinned stays."""
    _pin(common_dir / _PIN_FOLDER / _IDENTITY_FILE, identity, may_fail=False)


def _read_pin(pin: Path) -> str:
    try:
        data = pin.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise Unavailable(f"the identity in {str(pin)!r} cannot be read: {error.strerror}") from error
    text = data[:_IDENTITY_MAX_BYTES].decode("utf-8", "replace").strip()
    if not text or not text.isprintable() or len(data) > _IDENTITY_MAX_BYTES:
        raise Corrupt(
            f"the identity in {str(pin)!r} is not readable",
            advice="restore the file's one line; removing it gives the repository a new identity",
        )
    return text


def _pin(pin: Path, identity: str, *, may_fail: bool) -> str:
    """Write the identity unless another process was first; returns the one that stands."""
    try:
        pin.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=pin.parent, prefix=f".{_IDENTITY_FILE}.") as draft:
            draft.write(identity.encode("utf-8") + b"\n")
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).chmod(0o644)
            os.link(draft.name, pin)  # exclusive: the first writer wins, and nobody reads half a line
    except OSError as error:
        if isinstance(error, FileExistsError) and (first := _read_pin(pin)):
            return first
        if may_fail:  # the remote names the repository well enough when its folder is read-only
            return identity
        raise Unavailable(
            f"the repository's identity cannot be written to {str(pin)!r}: {error.strerror}",
            advice="make the folder writable, or add an `origin` remote",
        ) from error
    return identity


def _read_lines(path: Path) -> tuple[str, ...]:
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return ()
    return tuple(dict.fromkeys(line for line in text.splitlines() if line.strip() and line.isprintable()))


def _append_line(path: Path, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, line.encode("utf-8") + b"\n")
    finally:
        os.close(descriptor)


def _plain_folder(folder: Path, clock: Clock) -> Checkout:
    """A folder without git."""
    root = next(
        (place for place in (folder, *folder.parents) if (place / HOME_NAME / _IDENTITY_FILE).is_file()), folder
    )
    identity, aliases = _pinned(root / HOME_NAME, "", clock)
    repository = Repository(identity, repo_id(identity), root=root, aliases=aliases)
    return Checkout(repository=repository, root=root, main_worktree=root, home=root / HOME_NAME)
