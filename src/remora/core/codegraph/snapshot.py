"""The rows of a stored code graph, and what one build adds to or takes from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class FileStamp(NamedTuple):
    """What the file system says of a file; an unchanged stamp means unchanged content, but see the racy rule."""

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Listing:
    """Files worth reading with their stamps (paths with `/`, sorted), and how many others were left out, by reason."""

    files: Mapping[str, FileStamp]
    skipped: Mapping[str, int]
    commit: str = ""


def indexable(listing: Listing) -> Listing:
    """The listing without files whose names are not UTF-8: no id could be written for them. They are counted."""
    if all(path.isascii() or _is_text(path) for path in listing.files):
        return listing
    files = {path: stamp for path, stamp in listing.files.items() if _is_text(path)}
    skipped = {**listing.skipped, "name is not UTF-8": len(listing.files) - len(files)}
    return Listing(files, dict(sorted(skipped.items())), listing.commit)


def _is_text(path: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in path)


class FileRow(NamedTuple):
    """One indexed file. `digest` is the BLAKE3 of its bytes, `version` that of the language pair."""

    id: int
    path: str
    language: str
    digest: str
    version: str
    lines: int
    code_lines: int
    symbols: int
    errors: int
    problem: str
    calls: int
    external: int


class SymbolRow(NamedTuple):
    """One declaration. `scope` is its scope in the file's facts, -1 of a variable; `parent` is a symbol's id or 0."""

    id: int
    file: int
    scope: int
    parent: int
    qualified: str
    name: str
    kind: str
    line: int
    end_line: int
    public: int
    test: int
    signature: str
    doc: str
    decorators: str


class EdgeRow(NamedTuple):
    """One relation of two symbols; kind and tier index `link.KINDS` and `link.TIERS`, line is in the source file."""

    source: int
    kind: int
    target: int
    tier: int
    line: int


class UnresolvedRow(NamedTuple):
    """A call that could not be told: the calling symbol, the line, and the callee as written."""

    source: int
    line: int
    name: str


class FlowRow(NamedTuple):
    """What `source` passes to parameters of functions in `target`, as JSON, in one round."""

    round: int
    source: int
    target: int
    payload: str


class DependencyRow(NamedTuple):
    """Name `owner` of file `source` ("" = its own calls) depends on `name` of file `target` (0 = a module name)."""

    target: int
    name: str
    source: int
    owner: str


@dataclass(slots=True)
class GraphUpdate:
    """All that one build changes. Rows of a file are replaced as a whole."""

    files: list[tuple[FileRow, bytes]] = field(default_factory=list)
    """New or changed files with their encoded facts, as the parser gave them."""
    removed: list[int] = field(default_factory=list)
    symbols: dict[int, list[SymbolRow]] = field(default_factory=dict)
    """File -> all its symbols, for every file in `files`."""
    relinked: list[int] = field(default_factory=list)
    """Files whose edges, unresolved calls and flows below replace the old ones."""
    edges: list[EdgeRow] = field(default_factory=list)
    unresolved: list[UnresolvedRow] = field(default_factory=list)
    counts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """File -> (calls, of them to something outside the tree)."""
    flows: list[FlowRow] = field(default_factory=list)
    stale_owners: list[tuple[int, str]] = field(default_factory=list)
    """Owners whose dependencies below replace the old ones."""
    dependencies: list[DependencyRow] = field(default_factory=list)
    endpoints: dict[int, str] = field(default_factory=dict)
    """File -> what it exposes and reaches for, as JSON, of every re-linked file that has any."""
    guesses: list[EdgeRow] = field(default_factory=list)
    """Calls guessed by unique name; one that is known otherwise stays as it is."""
    stale_guesses: list[int] = field(default_factory=list)
    """Symbols of files not re-linked whose guesses above replace the old ones."""
    boundaries: list[SymbolRow] | None = None
    """All boundary nodes of the graph; None = they stay as they are."""
    boundary_edges: list[EdgeRow] = field(default_factory=list)
    """All edges of boundaries."""
    meta: dict[str, str] = field(default_factory=dict)


def node_id(language: str, path: str, qualified: str) -> str:
    """`lang:path#qualified.name`; the module itself has no `#`."""
    return f"{language}:{path}#{qualified}" if qualified else f"{language}:{path}"


class Span(NamedTuple):
    """A declaration's lines in one text: first and last, counted from 1."""

    node_id: str
    label: str
    start_line: int
    end_line: int
