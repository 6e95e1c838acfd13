"""A checkout on disk with its code graph: write files, index, ask. Everything is the real part."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from remora.adapters.code_graph_file import CodeGraphFile
from remora.adapters.tree_sitter.parser import TreeSitterParser
from remora.adapters.walk import SourceTree
from remora.core.codegraph.answers import Freshness
from remora.core.scope import operator_grant
from remora.ports import Repository
from remora.usecases.affected import AffectedAnswer, AffectedRequest, affected
from remora.usecases.export_graph import ExportRequest, export_graph
from remora.usecases.index_repository import IndexRequest, IndexResult, index_repository

GRANT = operator_grant()


@dataclass
class Checkout:
    """The ports of one folder."""

    root: Path
    cache: Path | None = None
    repository: Repository = field(init=False)
    sources: SourceTree = field(init=False)
    parser: TreeSitterParser = field(init=False)
    code_graph: CodeGraphFile = field(init=False)
    at_most: int = 50

    def __post_init__(self) -> None:
        self.repository = Repository("checkout", "r_checkout", self.root)
        self.parser = TreeSitterParser()
        self.sources = SourceTree(self.root, lambda path: bool(self.parser.language(path)))
        self.code_graph = CodeGraphFile(self.cache or self.root / ".remora" / "cache")

    def freshness(self) -> Freshness:
        result = index_repository(self, GRANT, IndexRequest(at_most=self.at_most))
        return Freshness(result.commit, result.stale)

    def write(self, **files: str) -> "Checkout":
        """`a__b="..."` writes a/b.py."""
        for name, text in files.items():
            self.put(name.replace("__", "/") + ".py", text)
        return self

    def put(self, path: str, text: str | bytes) -> "Checkout":
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return self

    def index(self, *, full: bool = False) -> IndexResult:
        return index_repository(self, GRANT, IndexRequest(full=full))

    def export(self, *, ambiguous: bool = False) -> str:
        return "".join(export_graph(self, GRANT, ExportRequest(ambiguous=ambiguous)))

    def edges(self, kind: str = "calls") -> set[tuple[str, str]]:
        """(source, target) without the language prefix."""
        rows = json.loads(self.export())["edges"]
        return {(_bare(row["source"]), _bare(row["target"])) for row in rows if row["kind"] == kind}

    def tiers(self) -> dict[tuple[str, str], str]:
        rows = json.loads(self.export())["edges"]
        return {(_bare(row["source"]), _bare(row["target"])): row["tier"] for row in rows if row["kind"] == "calls"}

    def affected(self, symbol: str, **options: object) -> AffectedAnswer:
        return affected(self, GRANT, AffectedRequest(symbol, **options))  # type: ignore[arg-type]

    def state(self) -> object:
        """Everything a reader can see, without the numbers of files and symbols."""
        with self.code_graph.read() as reader:
            files = {row.id: row.path for row in reader.files()}
            symbols = {row.id: row for row in reader.symbols()}
            named = {key: (files[row.file], row.qualified) for key, row in symbols.items()}
            rows = sorted((named[key], row.scope, named.get(row.parent), *row[5:]) for key, row in symbols.items())
            unresolved = sorted((named[row.source], row.line, row.name) for row in reader.unresolved())
            return rows, unresolved, [row[1:] for row in reader.files()], self.export(ambiguous=True)


def _bare(node: str) -> str:
    return node.partition(":")[2]
