"""The store as a file: where it lies, who may read it, and whether the file system can carry it."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from remora.adapters.sqlite.faults import DAMAGED_ADVICE
from remora.core.errors import Corrupt, Unavailable

FileSystemProbe = Callable[[Path], str]
"""Path -> type of the file system that holds it, as the kernel names it; "" when unknown."""

OVERRIDE = "REMORA_ALLOW_NETWORK_FS"
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_looking = threading.Lock()
_looked_into: set[tuple[int, int] | None] = set()
_MAGIC = b"SQLite format 3\0"
_NETWORK = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afs", "afpfs", "9p", "virtiofs", "vboxsf", "prl_fs"),
        *("ncpfs", "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "davfs", "webdav", "sshfs", "orangefs", "ocfs2"),
    )
)
_CLOUD = (
    *("dropbox", "onedrive", "mobile documents", "icloud", "google drive", "googledrive", "cloudstorage", "nextcloud"),
    *("owncloud", "pclouddrive", "syncthing", "box sync"),
)


def file_system_of(path: Path) -> str:
    """The type of the mount that holds `path` (Linux; elsewhere unknown)."""
    try:
        table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        place = os.path.realpath(path)
    except OSError:
        return ""
    found, longest = "", -1
    for mount, kind in _mounts(table):
        inside = place == mount or place.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= longest:  # a later mount on the same point covers the former
            found, longest = kind, len(mount)
    return found


def _mounts(table: str) -> Iterator[tuple[str, str]]:
    for line in table.splitlines():
        left, dash, right = line.partition(" - ")
        fields = left.split(" ")
        if dash and len(fields) > 4:
            mount = fields[4]
            for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
                mount = mount.replace(code, char)
            yield mount, right.split(" ", 1)[0]


def is_network(kind: str) -> bool:
    """Whether shared-memory locks cannot be trusted on this type of file system."""
    return kind.lower() in _NETWORK or kind == "fuse" or kind.startswith("fuse.")


def cloud_folder(path: Path) -> str:
    """The part of the path that names a cloud-sync folder, "" when none does."""
    return next((part for part in path.parts if any(name in part.lower() for name in _CLOUD)), "")


def journal_mode(path: Path, probe: FileSystemProbe, *, allow_network: bool) -> str:
    """`wal`, or `delete` on a network file system that the user insists on; raises `Unavailable` there otherwise."""
    kind = probe(path.parent)
    if not is_network(kind):
        return "wal"
    if allow_network:
        return "delete"
    raise Unavailable(
        f"the store {path} lies on a network file system ({kind}), where concurrent writers can damage it",
        advice=f"set REMORA_DATA_DIR to a local folder, or {OVERRIDE}=true to use it with a slower journal",
    )


def prepare(path: Path) -> None:
    """Make the folder (0700) and the file (0600) when missing; raise `Corrupt` when the file is something else.

    Closing any descriptor of a file drops all locks that this process holds on it (POSIX), SQLite's included. So a file
    is looked into only before this process first connects to it, and by one thread at a time.
    """
    missing = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    with _looking:
        if identity_of(path) is None:
            with contextlib.suppress(FileExistsError):  # another process was faster
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOEXEC, 0o600))
        elif identity_of(path) not in _looked_into:
            _check_head(path)
        _looked_into.add(identity_of(path))


def make_private(path: Path) -> None:
    """Make the folder (0700) and an empty file (0600) of a derived database when missing; its journals get its mode."""
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOEXEC, 0o600))


def _check_head(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | _CLOEXEC)
    try:
        head = os.read(descriptor, len(_MAGIC))
    finally:
        os.close(descriptor)
    if head and head != _MAGIC:
        raise Corrupt(
            f"{path} is not a Remora store: it starts with {head!r}; nothing was changed", advice=DAMAGED_ADVICE
        )


def identity_of(path: Path) -> tuple[int, int] | None:
    """Device and inode of the file, None when it is gone."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def loose_mode(path: Path) -> str:
    """The file's mode as octal text when others may read it, else ""."""
    mode = path.stat().st_mode & 0o777
    return f"{mode:04o}" if mode & 0o077 and os.name == "posix" else ""
