"""Files of a project that others own too: read whole, replaced atomically with their mode, never outside the root."""

import os
import secrets
import stat
from pathlib import Path

from remora.core.errors import InvalidInput, Unavailable

_RECEIPTS = "remora-settings.json"


class SettingsFiles:
    """Implements `ports.ProjectFiles` for one folder. Receipts of what was changed lie in its git dir, if any."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._receipts = _receipts_path(self._root)

    def read(self, path: str) -> bytes | None:
        """The whole file, None when it is absent."""
        try:
            return self._inside(path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {error.strerror}") from error

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Replace or create the file in one step; on any failure the old content stands."""
        target = self._inside(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _replace(target, data, _mode(target, executable=executable))
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {error.strerror}") from error

    def is_executable(self, path: str) -> bool:
        """Whether the owner may run the file."""
        try:
            return bool(self._inside(path).stat().st_mode & stat.S_IXUSR)
        except OSError:
            return False

    def move(self, path: str, target: str) -> None:
        """Rename within the project."""
        try:
            self._inside(path).replace(self._inside(target))
        except OSError as error:
            raise Unavailable(f"{path} cannot be renamed: {error.strerror}") from error

    def remove(self, path: str) -> None:
        """Remove the file, and folders below the root that it leaves empty."""
        target = self._inside(path)
        try:
            target.unlink(missing_ok=True)
        except OSError as error:
            raise Unavailable(f"{path} cannot be removed: {error.strerror}") from error
        for folder in target.parents:
            if folder == self._root or not folder.is_relative_to(self._root) or any(folder.iterdir()):
                break
            folder.rmdir()

    def read_receipts(self) -> bytes | None:
        """The receipts of former installs, None when there are none or nowhere to keep them."""
        try:
            return None if self._receipts is None else self._receipts.read_bytes()
        except OSError:
            return None

    def write_receipts(self, data: bytes) -> None:
        """Keep receipts; without them a removal still works, by structure."""
        if self._receipts is None:
            return
        try:
            if data:
                _replace(self._receipts, data, 0o600)
            else:
                self._receipts.unlink(missing_ok=True)
        except OSError as error:
            raise Unavailable(f"the git folder cannot be written: {error.strerror}") from error

    def _inside(self, path: str) -> Path:
        """The real place of a relative path; a link that leads out of the project is refused: others live there."""
        target = (self._root / path).resolve()
        if not target.is_relative_to(self._root):
            raise InvalidInput("path", f"{path} leads outside {self._root}", allowed="files of this project")
        if target.exists() and not target.is_file():
            raise InvalidInput("path", f"{path} is not a file", allowed="a regular file")
        return target


def _mode(target: Path, *, executable: bool) -> int:
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    return mode | (mode & 0o444) >> 2 if executable and not mode & stat.S_IXUSR else mode


def _replace(target: Path, data: bytes, mode: int) -> None:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "posix":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _receipts_path(root: Path) -> Path | None:
    """Beside the other private files of this checkout: the git dir, also that of a linked worktree."""
    git = root / ".git"
    if git.is_file():
        try:
            pointer = git.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
        git = root / pointer.removeprefix("gitdir:").strip()
    return git / _RECEIPTS if git.is_dir() else None
