"""Questions to one consistent view of the graph's file."""

from collections.abc import Collection, Sequence

import apsw

from remora.core.codegraph.guesses import last_name
from remora.core.codegraph.snapshot import EdgeRow, FileRow, FlowRow, SymbolRow, UnresolvedRow

_CHUNK = 500
_UNRESOLVED = "SELECT source, line, name FROM unresolved"


class CodeGraphReader:
    """Questions to one consistent view of the graph."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _rows(self, sql: str, bindings: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return self._connection.execute(sql, bindings).fetchall()

    def _number(self, sql: str) -> int:
        ((found,),) = self._rows(sql)
        assert isinstance(found, int)
        return found

    def meta(self) -> dict[str, str]:
        """Facts about the build: layout, commit, counts of skipped files."""
        return dict(self._rows("SELECT key, value FROM meta"))  # type: ignore[arg-type]

    def files(self) -> list[FileRow]:
        """Every file by path."""
        return [FileRow(*row) for row in self._rows("SELECT * FROM file ORDER BY path")]  # type: ignore[arg-type]

    def facts(self, file: int) -> bytes:
        """A file's packed facts."""
        ((data,),) = self._rows("SELECT data FROM facts WHERE file=?", (file,))
        return data  # type: ignore[return-value]

    def symbols(self, *, files: Collection[int] = (), ids: Collection[int] = (), name: str = "") -> list[SymbolRow]:
        """Symbols of files, with ids, or with a name; of the whole graph when nothing is asked for. By id."""
        if name:
            rows = self._rows("SELECT * FROM symbol WHERE name=? ORDER BY id", (name,))
        elif files or ids:
            column, numbers = ("file", files) if files else ("id", ids)
            rows = self._chunked(f"SELECT * FROM symbol WHERE {column} IN (%s) ORDER BY id", numbers)  # noqa: S608
        else:
            rows = self._rows("SELECT * FROM symbol ORDER BY id")
        return [SymbolRow(*row) for row in rows]  # type: ignore[arg-type]

    def edges(self, *, sources: Collection[int] = (), targets: Collection[int] = ()) -> list[EdgeRow]:
        """Edges from or to symbols; of the whole graph when nothing is asked for."""
        if sources or targets:
            column, numbers = ("source", sources) if sources else ("target", targets)
            rows = self._chunked(f"SELECT * FROM edge WHERE {column} IN (%s)", numbers)  # noqa: S608
        else:
            rows = self._rows("SELECT * FROM edge ORDER BY source, kind, target")
        return [EdgeRow(*row) for row in rows]  # type: ignore[arg-type]

    def unresolved(self, *, sources: Collection[int] = (), name: str = "") -> list[UnresolvedRow]:
        """Calls that could not be told: of some symbols, of callees with a last name, or all."""
        if sources:
            rows = self._chunked(f"{_UNRESOLVED} WHERE source IN (%s) ORDER BY source, line, name", sources)
        elif name:
            sql = f"{_UNRESOLVED} WHERE last=?2 AND (name=?1 OR substr(name, -length(?1) - 1) = '.' || ?1)"
            rows = self._rows(sql + " ORDER BY source, line, name", (name, last_name(name)))
        else:
            rows = self._rows(f"{_UNRESOLVED} ORDER BY source, line, name")
        return [UnresolvedRow(*row) for row in rows]  # type: ignore[arg-type]

    def endpoints(self) -> dict[int, str]:
        """File -> what it exposes and reaches for, as JSON."""
        return dict(self._rows("SELECT file, data FROM endpoint ORDER BY file"))  # type: ignore[arg-type]

    def flows(self, *, source: int = 0, target: int = 0, round_number: int) -> list[FlowRow]:
        """What one file passes on, or what is passed to it, in a round."""
        column = "source" if source else "target"
        sql = f"SELECT round, source, target, payload FROM flow WHERE {column}=? AND round=? ORDER BY source, target"  # noqa: S608
        return [FlowRow(*row) for row in self._rows(sql, (source or target, round_number))]  # type: ignore[arg-type]

    def dependents(self, target: int, name: str | None) -> list[tuple[int, str]]:
        """(file, owner) that depend on a name of a file, on anything of it (None), or on the name anywhere (file 0)."""
        if name is None:
            rows = self._rows("SELECT DISTINCT source, owner FROM dependency WHERE target=?", (target,))
        elif not target:
            rows = self._rows("SELECT DISTINCT source, owner FROM dependency WHERE name=?", (name,))
        else:
            rows = self._rows("SELECT source, owner FROM dependency WHERE target=? AND name=?", (target, name))
        return rows  # type: ignore[return-value]

    def highest_symbol(self) -> int:
        """The highest symbol number in use; 0 in an empty graph."""
        return self._number("SELECT coalesce(max(id), 0) FROM symbol")

    def counts(self) -> dict[str, int]:
        """Numbers of files, symbols, edges and unresolved calls."""
        tables = ("file", "symbol", "edge", "unresolved")
        return {name: self._number(f"SELECT count(*) FROM {name}") for name in tables}  # noqa: S608 - fixed names

    def callables(self) -> list[tuple[int, int, str]]:
        """(id, file, name) of every function and method."""
        return self._rows("SELECT id, file, name FROM symbol WHERE kind IN ('function', 'method')")  # type: ignore[return-value]

    def homes(self) -> dict[int, int]:
        """Symbol -> its file."""
        return dict(self._rows("SELECT id, file FROM symbol"))  # type: ignore[arg-type]

    def shares(self) -> dict[str, int]:
        """Of the symbols and edges: boundary nodes, edges over boundaries, and guesses by unique name."""
        return {
            "boundary": self._number("SELECT count(*) FROM symbol WHERE id < 0"),
            "crossing": self._number("SELECT count(*) FROM edge WHERE kind = 6"),
            "guess": self._number("SELECT count(*) FROM edge WHERE tier = 2"),
        }

    def _chunked(self, sql: str, numbers: Collection[int]) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        ordered = sorted(numbers)
        for start in range(0, len(ordered), _CHUNK):
            part = ordered[start : start + _CHUNK]
            found.extend(self._rows(sql % ",".join("?" * len(part)), part))
        return found
