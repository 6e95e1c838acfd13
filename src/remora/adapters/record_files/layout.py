"""Where record files lie under `.remora`, and how the folder keeps itself out of git."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from remora.adapters.record_files.disk import PRIVATE_FOLDER, TRACKED, Disk, translated
from remora.adapters.record_files.segments import NAME as SEGMENT_NAME
from remora.core.errors import Unavailable
from remora.core.records.identity import is_derivable
from remora.core.records.model import Record
from remora.core.records.vocabulary import ScopeKind

RECORDS = "records"
SEGMENTS = "segments"
SHARED = "shared"
_IGNORE_ALL = b"*\n"
_IGNORE_ALL_BUT_SHARED = b"/*\n!/shared/\n"


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of one log. `home` is the `.remora` folder; `bare` says that it is the memory folder itself."""

    home: Path
    bare: bool = False

    @property
    def memory(self) -> Path:
        """What the log owns."""
        return self.home if self.bare else self.home / "memory"

    @property
    def records(self) -> Path:
        """Loose records, never tracked."""
        return self.memory / "records"

    @property
    def segments(self) -> Path:
        """Segments, never tracked."""
        return self.memory / "segments"

    @property
    def shared(self) -> Path:
        """The tracked folder; in use when it exists."""
        return self.home / "shared" / "records"

    @property
    def lock(self) -> Path:
        """The lock file of writers."""
        return self.memory / ".lock"

    @property
    def loose(self) -> tuple[Path, ...]:
        """The folders of loose files."""
        return (self.records, self.shared)

    def prefixed_loose(self) -> tuple[tuple[str, Path], ...]:
        """(unit prefix, folder) of the folders of loose files."""
        return ((RECORDS, self.records), (SHARED, self.shared))

    def segment_paths(self) -> list[Path]:
        """Every segment, by name; links and other things are no segments."""
        try:
            return sorted(self._segments())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise translated(error, self.segments) from error

    def _segments(self) -> Iterator[Path]:
        for path in self.segments.iterdir():
            if SEGMENT_NAME.fullmatch(path.name) and not path.is_symlink():
                yield path

    def folder_for(self, record: Record) -> Path:
        """The shared folder for authored records of repository scope once it exists, the untracked one for the rest."""
        if not is_derivable(record) and record.access_scope.scope is ScopeKind.REPOSITORY and self.shared.is_dir():
            return self.shared
        return self.records


def layout_of(store: Path) -> Layout | None:
    """The layout of a store as people name it: a checkout, a `.remora` or `.synaptic` folder, or a memory folder."""
    for home in (store, store / ".remora", store / ".synaptic"):
        if (home / "memory" / "records").is_dir() or (home / "memory" / "segments").is_dir():
            return Layout(home)
    if (store / "records").is_dir() or (store / "segments").is_dir():
        return Layout(store, bare=True)
    return None


def prepare(layout: Layout, disk: Disk) -> None:
    """Make the folders and the ignore file, once. Raises `Unavailable` where a link would lead writes elsewhere."""
    for folder in (layout.memory, layout.records, layout.segments, layout.shared.parent, layout.shared):
        if folder.is_symlink():
            raise Unavailable(f"{folder}: is a link, and records are not written through links", advice="remove it")
    for folder in (layout.memory, layout.records, layout.segments):
        disk.make_folder(folder, PRIVATE_FOLDER)
    wanted = _IGNORE_ALL_BUT_SHARED if layout.shared.is_dir() else _IGNORE_ALL
    ignore = layout.home / ".gitignore"
    try:
        if not ignore.exists():
            disk.publish(ignore, (wanted,), mode=TRACKED)
        elif wanted == _IGNORE_ALL_BUT_SHARED and ignore.read_bytes() == _IGNORE_ALL:
            disk.remove(ignore)
            disk.publish(ignore, (wanted,), mode=TRACKED)
    except OSError as error:
        raise translated(error, ignore) from error
