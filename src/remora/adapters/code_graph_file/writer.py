"""Writes builds: a whole graph part by part into a fresh file, or one incremental build into the present one."""

import apsw

from remora.adapters.code_graph_file.reader import CodeGraphReader
from remora.core.codegraph.facts import FORMAT
from remora.core.codegraph.guesses import last_name
from remora.core.codegraph.snapshot import GraphUpdate

LAYOUT = f"3.{FORMAT}"
"""Of the tables and of the facts in them: what another version wrote is built anew."""
_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE, language TEXT, digest TEXT, version TEXT, lines INTEGER,
  code_lines INTEGER, symbols INTEGER, errors INTEGER, problem TEXT, calls INTEGER, external INTEGER);
CREATE TABLE facts(file INTEGER PRIMARY KEY, data BLOB);
CREATE TABLE symbol(id INTEGER PRIMARY KEY, file INTEGER, scope INTEGER, parent INTEGER, qualified TEXT, name TEXT,
  kind TEXT, line INTEGER, end_line INTEGER, public INTEGER, test INTEGER, signature TEXT, doc TEXT, decorators TEXT);
CREATE TABLE edge(source INTEGER, kind INTEGER, target INTEGER, tier INTEGER, line INTEGER,
  PRIMARY KEY(source, kind, target)) WITHOUT ROWID;
CREATE TABLE unresolved(source INTEGER, line INTEGER, name TEXT, last TEXT);
CREATE TABLE flow(source INTEGER, round INTEGER, target INTEGER, payload TEXT,
  PRIMARY KEY(source, round, target)) WITHOUT ROWID;
CREATE TABLE dependency(target INTEGER, name TEXT, source INTEGER, owner TEXT,
  PRIMARY KEY(target, name, source, owner)) WITHOUT ROWID;
CREATE TABLE endpoint(file INTEGER PRIMARY KEY, data TEXT);
"""
_STAGED = """
PRAGMA temp_store=MEMORY;
CREATE TEMP TABLE new_edge(source INTEGER, kind INTEGER, target INTEGER, tier INTEGER, line INTEGER);
CREATE TEMP TABLE new_dependency(target INTEGER, name TEXT, source INTEGER, owner TEXT);
"""
_DECLARED = """
CREATE INDEX symbol_file ON symbol(file);
CREATE INDEX symbol_name ON symbol(name);
"""
# Filled in order of the keys, and indexed when full: half the time, and pages that are full.
_SETTLED = """
INSERT OR IGNORE INTO edge SELECT * FROM new_edge ORDER BY source, kind, target, tier;
INSERT OR IGNORE INTO dependency SELECT * FROM new_dependency ORDER BY target, name, source, owner;
DROP TABLE new_edge;
DROP TABLE new_dependency;
CREATE INDEX edge_target ON edge(target, kind);
CREATE INDEX unresolved_source ON unresolved(source);
CREATE INDEX unresolved_last ON unresolved(last);
CREATE INDEX flow_target ON flow(target, round);
CREATE INDEX dependency_source ON dependency(source);
CREATE INDEX edge_boundary ON edge(kind) WHERE kind >= 6;
"""


class FreshGraph:
    """A whole graph on its way into an empty file; the parts may come in any number."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        connection.execute(_STAGED)
        connection.execute("BEGIN")
        connection.execute(_TABLES)
        connection.execute("INSERT INTO meta VALUES('layout', ?)", (LAYOUT,))

    def add(self, update: GraphUpdate) -> None:
        """Write a part; what it replaces is not looked for."""
        many = self._connection.executemany
        _declarations(self._connection, update)
        many("INSERT INTO new_edge VALUES(?,?,?,?,?)", update.edges)
        many("INSERT INTO new_edge VALUES(?,?,?,?,?)", update.boundary_edges)
        many("INSERT INTO new_edge VALUES(?,?,?,?,?)", update.guesses)
        many("INSERT INTO new_dependency VALUES(?,?,?,?)", update.dependencies)
        _links(self._connection, update)

    def declared(self) -> CodeGraphReader:
        """A view of the declarations, once all were added."""
        self._connection.execute(_DECLARED)
        return CodeGraphReader(self._connection)

    def finish(self) -> None:
        """Settle what was added; the graph is whole."""
        self._connection.execute(_SETTLED)
        self._connection.execute("COMMIT")


def write_update(connection: apsw.Connection, update: GraphUpdate) -> None:
    """Apply an incremental build, all or nothing."""
    many = connection.executemany
    connection.execute("BEGIN IMMEDIATE")
    try:
        _clear(connection, update)
        _declarations(connection, update)
        many("INSERT INTO edge VALUES(?,?,?,?,?)", sorted(update.edges + update.boundary_edges))
        many("INSERT OR IGNORE INTO edge VALUES(?,?,?,?,?)", update.guesses)
        many("INSERT OR IGNORE INTO dependency VALUES(?,?,?,?)", sorted(update.dependencies))
        _links(connection, update)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _declarations(connection: apsw.Connection, update: GraphUpdate) -> None:
    many = connection.executemany
    many("INSERT OR REPLACE INTO file VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", [row for row, _ in update.files])
    many("INSERT OR REPLACE INTO facts VALUES(?,?)", ((row.id, data) for row, data in update.files))
    many(
        "INSERT OR REPLACE INTO symbol VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (row for rows in update.symbols.values() for row in rows),
    )
    many("INSERT OR REPLACE INTO symbol VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", update.boundaries or ())


def _links(connection: apsw.Connection, update: GraphUpdate) -> None:
    many = connection.executemany
    many("INSERT INTO endpoint VALUES(?,?)", sorted(update.endpoints.items()))
    many("INSERT INTO unresolved VALUES(?,?,?,?)", ((*row, last_name(row.name)) for row in sorted(update.unresolved)))
    many("UPDATE file SET calls=?, external=? WHERE id=?", ((*pair, file) for file, pair in update.counts.items()))
    flows = sorted((row.source, row.round, row.target, row.payload) for row in update.flows)
    many("INSERT INTO flow VALUES(?,?,?,?)", flows)
    many("INSERT OR REPLACE INTO meta VALUES(?,?)", sorted(update.meta.items()))


def _clear(connection: apsw.Connection, update: GraphUpdate) -> None:
    """Take away what the update replaces: links of re-linked, declarations of parsed, all of removed files."""
    many = connection.executemany
    linked, parsed, gone = ([(file,) for file in files] for files in (update.relinked, update.symbols, update.removed))
    of_file = "(SELECT id FROM symbol WHERE file=?)"
    if update.boundaries is not None:
        # They are of the whole tree and come anew with every build.
        connection.execute("DELETE FROM edge WHERE kind >= 6")
        connection.execute("DELETE FROM edge WHERE target < 0")
        connection.execute("DELETE FROM symbol WHERE id < 0")
        many("DELETE FROM endpoint WHERE file=?", linked + gone)
    many("DELETE FROM edge WHERE source=? AND kind=1 AND tier=2", ((source,) for source in update.stale_guesses))
    # Kind 0 is `contains`: it belongs to the declarations, not to the links.
    many(f"DELETE FROM edge WHERE source IN {of_file} AND kind BETWEEN 1 AND 5", linked + gone)  # noqa: S608 - fixed text
    many(f"DELETE FROM edge WHERE source IN {of_file} AND kind=0", parsed + gone)  # noqa: S608 - fixed text
    many(f"DELETE FROM unresolved WHERE source IN {of_file}", linked + gone)  # noqa: S608 - fixed text
    many("DELETE FROM flow WHERE source=?", linked + gone)
    many("DELETE FROM symbol WHERE file=?", parsed + gone)
    many("DELETE FROM facts WHERE file=?", gone)
    many("DELETE FROM file WHERE id=?", gone)
    many("DELETE FROM dependency WHERE source=?", gone)
    many("DELETE FROM dependency WHERE source=? AND owner=?", update.stale_owners)
