"""The source files of a checkout: git's own list inside git, a .gitignore reader elsewhere, `.remoraignore` over both."""

import os
import re
import stat
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import translate
from pathlib import Path, PurePosixPath

from remora.core import policy
from remora.core.codegraph.snapshot import FileStamp, Listing
from remora.core.errors import SourceFailed

_VENDORED = frozenset(
    [
        "node_modules",
        "bower_components",
        "vendor",
        "third_party",
        "site-packages",
        "dist-packages",
        "__pycache__",
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        ".venv",
        "venv",
        "virtualenv",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".eggs",
        ".remora",
        ".idea",
        ".vscode",
        ".gradle",
        ".next",
        ".nuxt",
    ]
)
_MINIFIED = (".min.js", ".min.css", ".bundle.js", "-min.js", ".min.mjs")
_SECRET = re.compile(
    r"(^\.env(\..*)?$|\.(pem|key|pfx|p12|keystore|jks)$|^id_(rsa|dsa|ecdsa|ed25519)$|^credentials(\.json)?$|^\.netrc$"
    r"|^\.npmrc$|^\.pypirc$|^secrets?\.(py|js|ts|json|ya?ml|toml)$)"
)
_GIT_TIMEOUT_SECONDS = 60
_HEAD_BYTES = 8_000


class SourceTree:
    """Lists and reads the files of one checkout; never leaves it, never enters a nested repository."""

    def __init__(self, root: Path, wanted: Callable[[str], bool]) -> None:
        """`wanted` says by its path whether a file is of a language we know."""
        self._root = root
        self._wanted = wanted

    def listing(self) -> Listing:
        """Every file of a known language that is not excluded; the rest is counted by reason."""
        skipped: Counter[str] = Counter()
        files: dict[str, FileStamp] = {}
        ignored = _Patterns(_lines(self._root / ".remoraignore"))
        tracked = self._git_files()
        for path in sorted(tracked if tracked is not None else _walk(self._root)):
            if not self._wanted(path):
                continue
            reason = _excluded(path, ignored)
            stamp = None if reason else self._stamp(path)
            if reason or stamp is None:
                skipped[reason or "not a regular file"] += 1
            elif stamp.size_bytes > policy.SOURCE_FILE_MAX_BYTES:
                skipped["too large"] += 1
            else:
                files[path] = stamp
        return Listing(files, dict(sorted(skipped.items())), self._commit())

    def read(self, path: str) -> bytes | None:
        """The bytes of a listed file; None when it is gone, is no regular file or grew too large."""
        try:
            descriptor = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            data = file.read(policy.SOURCE_FILE_MAX_BYTES + 1)
        return data if len(data) <= policy.SOURCE_FILE_MAX_BYTES else None

    def _stamp(self, path: str) -> FileStamp | None:
        try:
            found = os.lstat(self._root / path)
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        return FileStamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)

    def _git(self, *arguments: str) -> bytes | None:
        clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        command = ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-C", str(self._root), *arguments]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                timeout=_GIT_TIMEOUT_SECONDS,
                env=clean,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except FileNotFoundError:
            return None
        except subprocess.TimeoutExpired as error:
            raise SourceFailed("git did not list the files in time") from error
        return done.stdout if done.returncode == 0 else None

    def _git_files(self) -> list[str] | None:
        if not any((folder / ".git").exists() for folder in (self._root, *self._root.parents)):
            return None
        output = self._git("ls-files", "-co", "--exclude-standard", "-z")
        if output is None:
            return None
        names = (os.fsdecode(name) for name in output.split(b"\0") if name)
        # A nested repository is listed as one name with a slash at its end.
        return list(dict.fromkeys(name for name in names if not name.endswith("/")))

    def _commit(self) -> str:
        if not any((folder / ".git").exists() for folder in (self._root, *self._root.parents)):
            return ""
        return (self._git("rev-parse", "--verify", "-q", "HEAD") or b"").decode("ascii", "replace").strip()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _excluded(path: str, ignored: "_Patterns") -> str:
    verdict = ignored.verdict(path)
    if verdict is not None:
        return "ignored by .remoraignore" if verdict else ""
    *folders, name = path.split("/")
    if not _VENDORED.isdisjoint(folders):
        return "vendored"
    if name.endswith(_MINIFIED):
        return "minified"
    if _SECRET.search(name.lower()):
        return "secret by name"
    return ""


class _Patterns:
    """Patterns of a .gitignore file; later lines win, `!` takes back."""

    def __init__(self, lines: list[str], folder: str = "") -> None:
        self._folder = f"{folder}/" if folder else ""
        self._rules: list[tuple[re.Pattern[str], bool, bool]] = []
        for line in lines:
            text = line.rstrip("\n").rstrip()
            if not text or text.startswith("#"):
                continue
            keep = text.startswith("!")
            text = text[1:] if keep else text.removeprefix("\\")
            only_folders = text.endswith("/")
            text = text.rstrip("/")
            if text:
                self._rules.append((_pattern(text), not keep, only_folders))

    def verdict(self, path: str, *, folder: bool = False) -> bool | None:
        """True = ignored, False = taken back, None = nothing said. A parent's verdict holds for what is inside."""
        if not path.startswith(self._folder):
            return None
        parts = path[len(self._folder) :].split("/")
        found: bool | None = None
        for depth in range(1, len(parts) + 1):
            inner = depth < len(parts) or folder
            here = "/".join(parts[:depth])
            for pattern, ignore, only_folders in self._rules:
                if (inner or not only_folders) and pattern.fullmatch(here):
                    found = ignore
            if found and inner:
                return True
        return found


def _pattern(text: str) -> re.Pattern[str]:
    anchored = "/" in text
    text = text.removeprefix("/")
    parts = []
    for part in text.split("/"):
        parts.append("\0" if part == "**" else translate(part)[4:-3].replace(".*", "[^/]*").replace(r"(?s:", "(?:"))
    body = "/".join(parts)
    body = body.replace("\0/", "(?:.*/)?").replace("/\0", "/.*").replace("\0", ".*")
    return re.compile(body if anchored else f"(?:.*/)?{body}")


def _walk(root: Path) -> Iterator[str]:
    """Files outside git, by folder; links are not followed, nested repositories not entered."""
    todo: list[tuple[str, tuple[_Patterns, ...]]] = [("", ())]
    while todo:
        folder, above = todo.pop()
        place = root / folder
        patterns = (*above, _Patterns(_lines(place / ".gitignore"), folder))
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        if folder and any(entry.name == ".git" for entry in entries):
            continue
        for entry in entries:
            path = str(PurePosixPath(folder, entry.name))
            inner = entry.is_dir(follow_symlinks=False)
            verdicts = [found for rules in patterns if (found := rules.verdict(path, folder=inner)) is not None]
            if verdicts and verdicts[-1]:
                continue
            if inner and entry.name not in _VENDORED:
                todo.append((path, patterns))
            elif not inner and entry.is_file(follow_symlinks=False):
                yield path
