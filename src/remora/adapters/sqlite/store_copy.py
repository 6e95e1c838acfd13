"""The store's part of a backup: where its copy lies, its checksum, and putting it in place without overwriting."""

import hashlib
import os
import secrets
import shutil
from pathlib import Path

from remora.core.errors import Conflict, InvalidInput, Unavailable

_STORE = "store.sqlite3"
_MANIFEST = "manifest.json"


class StoreCopy:
    """The folder of one backup; it is private to its maker."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def store_path(self) -> Path:
        """Where the copy of the store lies."""
        return self._folder / _STORE

    def begin(self) -> Path:
        """Make the folder; returns where the store's copy goes. Raises `Conflict` when something is in it."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if any(self._folder.iterdir()):
                raise Conflict(f"{self._folder} is not empty; a backup never overwrites", advice="name a new folder")
        except OSError as error:
            raise Unavailable(f"{self._folder} cannot be made: {error.strerror}") from error
        return self.store_path

    def store_digest(self) -> str:
        """SHA-256 of the store's copy."""
        try:
            with self.store_path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise InvalidInput("backup", f"its store cannot be read: {error.strerror}") from error

    def write_manifest(self, data: bytes) -> None:
        """Name the folder a whole backup."""
        _whole(self._folder / _MANIFEST, data)

    def read_manifest(self) -> bytes:
        """The manifest; raises `InvalidInput` when the folder is no backup."""
        try:
            return (self._folder / _MANIFEST).read_bytes()
        except OSError as error:
            problem = f"{self._folder} has no manifest"
            raise InvalidInput("backup", problem, allowed="a folder that `remora backup` made") from error

    def copy_store(self, target: Path) -> None:
        """Put the store's copy at its place. Raises `Conflict` when there is a store."""
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            try:
                descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with os.fdopen(descriptor, "wb") as file, self.store_path.open("rb") as source:
                    shutil.copyfileobj(source, file)
                    file.flush()
                    os.fsync(file.fileno())
                os.link(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)
        except FileExistsError:
            advice = "restore before `remora init`, or set REMORA_DATA_DIR to a new folder"
            raise Conflict(f"{target} exists; a restore never overwrites a store", advice=advice) from None
        except OSError as error:
            raise Unavailable(f"{target} cannot be written: {error.strerror}") from error


def _whole(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise Unavailable(f"{path} cannot be written: {error.strerror}") from error
