"""Where an export is imported, and the bounded pieces of text that its items become."""

from collections import Counter
from dataclasses import dataclass, field

from remora.core.capture.artifacts import Artifact, ArtifactList, BadArtifact


@dataclass(frozen=True, slots=True)
class ExportPlace:
    """The repository an export is imported into, its folder (absolute, for paths in reports), and the file's name."""

    repository: str
    root: str = ""
    source: str = ""


@dataclass(slots=True)
class Gathered:
    """Artifacts of one file as they are read."""

    artifacts: list[tuple[int, Artifact]] = field(default_factory=list)
    bad: list[BadArtifact] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def result(self) -> ArtifactList:
        """All of it, frozen."""
        return ArtifactList(tuple(self.artifacts), tuple(self.bad), dict(sorted(self.skipped.items())))
