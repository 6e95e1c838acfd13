"""The cheap questions first: is memory on, and is this a repository with `remora init`? No more is read."""
# ruff: noqa: PLC0415 -- modules load where they are needed: a silent hook must not pay for the others

import sys

if sys.platform == "win32":
    import nt as posix
else:
    import posix

__all__ = ["find_home", "find_project", "posix", "run", "variable"]

_FALSE = ("0", "false", "no", "off")
_POINTER_MAX_BYTES = 4096
_FOLDERS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
"""Where clients say the project is, for hooks that they start elsewhere."""


def run(arguments: list[str]) -> None:
    """Do nothing, or hand over to the part that talks to the server."""
    home = "" if variable("REMORA_ALLOW_MEMORY").lower() in _FALSE else find_project()[1]
    if not home:
        from remora_hook import stdin

        stdin.drain()
    else:
        from remora_hook import session

        session.run(arguments, home)


def find_project() -> tuple[str, str]:
    """(folder, home) of the first place where a project with memory is, ("", "") when there is none."""
    for folder in (posix.getcwd(), *map(variable, _FOLDERS)):
        if folder and (home := find_home(folder)):
            return folder, home
    return "", ""


def variable(name: str) -> str:
    """An environment variable, "" when unset."""
    environ = posix.environ
    if sys.platform == "win32":
        return environ.get(name, "")
    return environ.get(name.encode(), b"").decode("utf-8", "surrogateescape")


def find_home(folder: str) -> str | None:
    """Where the repository around `folder` keeps its memory, None without `remora init`. No git is run.

    The search ends at the first `.git`: a repository inside an initialised folder is one of its own.
    """
    folder = folder.replace("\\", "/") if sys.platform == "win32" else folder
    while True:
        kind = _kind(folder + "/.git")
        if kind == _FILE:
            return _home_of_pointer(folder)
        if _kind(folder + "/.remora") == _FOLDER:
            return folder + "/.remora"
        parent = folder.rpartition("/")[0]
        if kind == _FOLDER or parent == folder or not folder:
            return None
        folder = parent


def _home_of_pointer(folder: str) -> str | None:
    """For a linked worktree the main one's home, for a submodule its own."""
    git_dir = _joined(folder, _first_line(folder + "/.git").removeprefix("gitdir:").strip())
    shared = _first_line(git_dir + "/commondir")
    common = _joined(git_dir, shared) if shared else git_dir
    main, _, name = common.rpartition("/")
    homes = [(main if name == ".git" else folder) + "/.remora"]
    if _kind(common + "/remora/cache") == _FOLDER:  # bare layouts; the folder alone is made at first use
        homes.append(common + "/remora")
    return next((home for home in homes if _kind(home) == _FOLDER), None)


_FOLDER = 0o040000
_FILE = 0o100000


def _kind(path: str) -> int:
    try:
        return posix.stat(path).st_mode & 0o170000
    except (OSError, ValueError):
        return 0


def _first_line(path: str) -> str:
    try:
        descriptor = posix.open(path, posix.O_RDONLY)
    except (OSError, ValueError):
        return ""
    try:
        return posix.read(descriptor, _POINTER_MAX_BYTES).decode("utf-8", "surrogateescape").split("\n", 1)[0].strip()
    except OSError:
        return ""
    finally:
        posix.close(descriptor)


def _joined(base: str, path: str) -> str:
    """`path` seen from `base`, with `..` resolved in the text."""
    parts: list[str] = []
    for part in (path if path.startswith("/") or path[1:2] == ":" else base + "/" + path).split("/"):
        if part == ".." and parts and parts[-1]:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
