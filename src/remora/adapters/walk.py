"""The source files of a checkout: git's own list in git, a .gitignore reader elsewhere, `.remoraignore` over both."""

import os
import re
import stat
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

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
_OWN = frozenset({".git", ".hg", ".svn", ".remora"})
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
        self._place = str(root)
        self._wanted = wanted

    def listing(self) -> Listing:
        """Every file of a known language that is not excluded; the rest is counted by reason."""
        skipped: Counter[str] = Counter()
        files: dict[str, FileStamp] = {}
        ignored = _Patterns(_lines(f"{self._place}/.remoraignore"))
        tracked = self._git_files(skipped)
        for path in sorted(tracked if tracked is not None else self._walked(ignored, skipped)):
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
            descriptor = os.open(f"{self._place}/{path}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            data = file.read(policy.SOURCE_FILE_MAX_BYTES + 1)
        return data if len(data) <= policy.SOURCE_FILE_MAX_BYTES else None

    def _stamp(self, path: str) -> FileStamp | None:
        try:
            found = os.lstat(f"{self._place}/{path}")
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

    def _git_files(self, skipped: Counter[str]) -> list[str] | None:
        if not any((folder / ".git").exists() for folder in (self._root, *self._root.parents)):
            return None
        output = self._git("ls-files", "-co", "--exclude-standard", "-z")
        if output is None:
            return None
        names = dict.fromkeys(os.fsdecode(name) for name in output.split(b"\0") if name)
        wanted = [name for name in names if self._wanted(name)]
        # A nested repository is listed as one name with a slash at its end, a submodule as one without.
        if nested := sum(name.endswith("/") for name in names):
            skipped["nested repository"] += nested
        if (self._root / ".gitmodules").is_file():
            rest = (self._root / name for name in names.keys() - wanted if name[-1:] != "/")
            if modules := sum(path.is_dir() and not path.is_symlink() for path in rest):
                skipped["submodule"] += modules
        return wanted

    def _walked(self, ignored: "_Patterns", skipped: Counter[str]) -> Iterator[str]:
        """Files outside git. Vendored folders are entered only when `.remoraignore` takes something back."""

        def enter(name: str) -> bool:
            if name not in _VENDORED or (ignored.takes_back and name not in _OWN):
                return True
            if name not in _OWN:
                skipped["vendored"] += 1
            return False

        return _walk(self._place, self._wanted, enter)

    def _commit(self) -> str:
        if not any((folder / ".git").exists() for folder in (self._root, *self._root.parents)):
            return ""
        return (self._git("rev-parse", "--verify", "-q", "HEAD") or b"").decode("ascii", "replace").strip()


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _excluded(path: str, ignored: "_Patterns") -> str:
    verdict = ignored.verdict(path)
    if verdict is not None:
        return "ignored by .remoraignore" if verdict else ""
    return excluded_by_name(path)


def excluded_by_name(path: str) -> str:
    """Why a file of this name is no source of the project; "" when it is one."""
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
        self.takes_back = any(line.startswith("!") for line in lines)
        for line in lines:
            text = line.rstrip("\n").rstrip()
            if not text or text.startswith("#"):
                continue
            keep = text.startswith("!")
            text = text[1:] if keep else text.removeprefix("\\")
            only_folders = text.endswith("/")
            text = text.rstrip("/")
            if text:
                # The last line that matches counts, so the lines are kept from the end.
                self._rules.insert(0, (_pattern(text), not keep, only_folders))

    def verdict(self, path: str) -> bool | None:
        """Of a file: True = ignored, False = taken back, None = nothing said. What is inside follows its folder."""
        if not self._rules:
            return None
        parts = path.split("/")
        for depth in range(1, len(parts)):
            if self.here("/".join(parts[:depth]), folder=True):
                return True
        return self.here(path, folder=False)

    def here(self, path: str, *, folder: bool) -> bool | None:
        """The same of one path alone, its folders not asked."""
        local = path[len(self._folder) :]
        for pattern, ignore, only_folders in self._rules:
            if (folder or not only_folders) and pattern.fullmatch(local):
                return ignore
        return None


def _pattern(text: str) -> re.Pattern[str]:
    anchored = "/" in text
    text = text.removeprefix("/")
    body = "/".join("\0" if part == "**" else _segment(part) for part in text.split("/"))
    body = body.replace("\0/", "(?:.*/)?").replace("/\0", "/.*").replace("\0", ".*")
    return re.compile(body if anchored else f"(?:.*/)?{body}")


def _segment(part: str) -> str:
    """One part between slashes as a regular expression: `*` and `?` stay inside of it, sets are kept."""
    found = []
    at = 0
    while at < len(part):
        char = part[at]
        end = part.find("]", at + 2) if char == "[" else -1
        if char == "*":
            found.append("[^/]*")
        elif char == "?":
            found.append("[^/]")
        elif end > 0:
            found.append(
                "[" + re.sub(r"([\\[&~|])", r"\\\1", part[at + 1 : end]).replace("!", "^", part[at + 1] == "!") + "]"
            )
            at = end
        else:
            found.append(re.escape(part[at + 1 : at + 2] if char == "\\" else char))
            at += char == "\\"
        at += 1
    return "".join(found).replace("[^/]*[^/]*", "[^/]*")


def _walk(root: str, wanted: Callable[[str], bool], enter: Callable[[str], bool]) -> Iterator[str]:
    """Wanted files outside git, by folder; links are not followed, nested repositories not entered."""
    todo: list[tuple[str, tuple[_Patterns, ...]]] = [("", ())]
    while todo:
        folder, patterns = todo.pop()
        try:
            entries = sorted(os.scandir(f"{root}/{folder}"), key=lambda entry: entry.name)
        except OSError:
            continue
        names = {entry.name for entry in entries}
        if folder and ".git" in names:
            continue
        if ".gitignore" in names:
            patterns = (*patterns, _Patterns(_lines(f"{root}/{folder}/.gitignore"), folder))
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if not _ignored(path, patterns, folder=True) and enter(entry.name):
                    todo.append((path, patterns))
            elif wanted(path) and not _ignored(path, patterns, folder=False):
                yield path


def _ignored(path: str, patterns: tuple[_Patterns, ...], *, folder: bool) -> bool:
    """Whether the nearest pattern file that says anything about the path ignores it."""
    for rules in reversed(patterns):
        found = rules.here(path, folder=folder)
        if found is not None:
            return found
    return False
