"""The code graph: files to read, a parser, and the store of the built graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from remora.core.codegraph.answers import Freshness
    from remora.core.codegraph.communities import Communities
    from remora.core.codegraph.rules import Rules
    from remora.core.codegraph.snapshot import (
        EdgeRow,
        FileRow,
        FileStamp,
        FlowRow,
        GraphUpdate,
        Listing,
        Span,
        SymbolRow,
        UnresolvedRow,
    )
    from remora.ports.changes import Diffs, PullRequests
    from remora.ports.git import Git, SpanSource
    from remora.ports.metrics import GraphMetrics
    from remora.ports.records import RecordIndex
    from remora.ports.repository import Repository


class SourceFiles(Protocol):
    """The source files of one checkout, as they are on disk now."""

    def listing(self) -> Listing:
        """Every file of a known language that is not excluded, and how many were, by reason."""
        ...

    def read(self, path: str) -> bytes | None:
        """Bytes of a listed file; None when it is gone, no regular file, or too large now."""
        ...


class Parser(Protocol):
    """Turns texts into neutral facts; one adapter for all languages."""

    def language(self, path: str) -> str:
        """The language of a file by its name; "" when unknown."""
        ...

    def rules(self, language: str) -> Rules:
        """What linking must know of a language."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Language -> version of grammar and extraction; facts of another version are parsed again."""
        ...

    def parse(self, jobs: Iterable[tuple[int, str, bytes]]) -> Iterator[tuple[int, bytes]]:
        """Encoded facts per (number, language, text), in any order; a file that defeats the parser says why in them."""
        ...

    def spans(self, path: str, text: bytes) -> Sequence[Span]:
        """Named declarations of one text with their lines; empty for an unknown language."""
        ...


class CodeGraphRead(Protocol):
    """One consistent view of a checkout's code graph."""

    def meta(self) -> dict[str, str]:
        """What the build noted: commit, counts of skipped files."""
        ...

    def files(self) -> list[FileRow]:
        """Every file, by path."""
        ...

    def facts(self, file: int) -> bytes:
        """A file's facts as the parser gave them."""
        ...

    def symbols(self, *, files: Collection[int] = (), ids: Collection[int] = (), name: str = "") -> list[SymbolRow]:
        """Symbols of files, by ids or by bare name; all of them when nothing is asked for. By id."""
        ...

    def edges(self, *, sources: Collection[int] = (), targets: Collection[int] = ()) -> list[EdgeRow]:
        """Edges from or to symbols; all of them when nothing is asked for."""
        ...

    def unresolved(self, *, sources: Collection[int] = (), name: str = "") -> list[UnresolvedRow]:
        """Calls that could not be told: of some symbols, of callees with a last name, or all."""
        ...

    def endpoints(self) -> dict[int, str]:
        """File -> what it exposes and reaches for, as JSON."""
        ...

    def flows(self, *, source: int = 0, target: int = 0, round_number: int) -> list[FlowRow]:
        """What a file passes to parameters elsewhere, or is passed, in one round of the build."""
        ...

    def dependents(self, target: int, name: str | None) -> list[tuple[int, str]]:
        """(file, owner) that depend on a name of a file, on anything of it (None), or on the name anywhere (file 0)."""
        ...

    def highest_symbol(self) -> int:
        """The highest symbol number in use."""
        ...

    def counts(self) -> dict[str, int]:
        """Numbers of files, symbols, edges and unresolved calls."""
        ...

    def callables(self) -> list[tuple[int, int, str]]:
        """(id, file, name) of every function and method."""
        ...

    def homes(self) -> dict[int, int]:
        """Symbol -> its file."""
        ...

    def shares(self) -> dict[str, int]:
        """Of the symbols and edges: boundary nodes, edges over boundaries, and guesses by unique name."""
        ...


class CodeGraphFill(Protocol):
    """A whole new graph that nobody reads yet."""

    def add(self, update: GraphUpdate) -> None:
        """Write a part of it."""
        ...

    def declared(self) -> CodeGraphRead:
        """A view of what was added, links between symbols aside; asked for when every declaration was added."""
        ...


class CodeGraphStore(Protocol):
    """The code graph's file of one checkout. Readers only ever see whole builds."""

    def building(self) -> AbstractContextManager[None]:
        """Hold the builders' lock."""
        ...

    def read(self) -> AbstractContextManager[CodeGraphRead]:
        """A consistent view; raises `NotFound` before the first build."""
        ...

    def replacing(self) -> AbstractContextManager[CodeGraphFill]:
        """A whole new graph to fill; it takes the old one's place at the end of the block."""
        ...

    def update(self, update: GraphUpdate) -> None:
        """Apply an incremental build."""
        ...

    def stamps(self) -> dict[str, tuple[FileStamp, str]]:
        """Path -> stamp and digest at the last build; a hint that may be lost."""
        ...

    def write_stamps(self, stamps: Iterable[tuple[str, FileStamp, str]]) -> None:
        """Remember the stamps of a build."""
        ...


class CommunityStore(Protocol):
    """The last communities of one checkout, in its cache; safe to lose."""

    def load(self) -> Communities | None:
        """The last ones; None when there are none that can be read."""
        ...

    def save(self, communities: Communities) -> None:
        """Keep these instead; a failing disk loses them silently."""
        ...


class CodeGraphPorts(Protocol):
    """What the code graph's use cases need of the bag."""

    @property
    def repository(self) -> Repository: ...
    @property
    def sources(self) -> SourceFiles: ...
    @property
    def parser(self) -> Parser: ...
    @property
    def code_graph(self) -> CodeGraphStore: ...
    @property
    def freshness(self) -> Callable[[], Freshness]:
        """Brings the graph up to date when little changed, and says what is stale otherwise."""
        ...


class CommunityPorts(CodeGraphPorts, Protocol):
    """What communities need besides."""

    @property
    def metrics(self) -> GraphMetrics:
        """Clusters a graph."""
        ...

    @property
    def communities(self) -> CommunityStore:
        """The last communities."""
        ...


class ImpactPorts(CommunityPorts, Protocol):
    """What telling the impact of a change needs."""

    @property
    def git(self) -> Git:
        """Reads blobs."""
        ...

    @property
    def spans(self) -> SpanSource:
        """Definitions in a text."""
        ...

    @property
    def diffs(self) -> Diffs:
        """What changed."""
        ...

    @property
    def pull_requests(self) -> PullRequests:
        """Ends of pull requests."""
        ...

    @property
    def record_index(self) -> RecordIndex:
        """The memory on what changes."""
        ...
