"""The store's postings table against FTS5, on the same tokens: build, one small change, queries, size, erased bytes.

Run: `python benchmarks/bench_store_text.py [items]`. CPU times are of this process; the corpus is drawn from a seed.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from remora.adapters.sqlite.pool import connect

VOCABULARY, TOKENS, LIMIT = 6_000, 8, 400
TERMS = "abcdefghijklmnopqrstuvwxyz"


def corpus(items: int) -> list[list[str]]:
    """Token lists with word frequencies that fall like those of text, stop words left out."""
    rng = random.Random(7)
    words = ["".join(rng.choices(TERMS, k=rng.randint(4, 10))) for _ in range(VOCABULARY)]
    weights = [1 / (rank + 20) for rank in range(VOCABULARY)]
    return [rng.choices(words, weights, k=TOKENS) for _ in range(items)]


def cpu_ms(run: Callable[[], object], rounds: int = 1) -> float:
    started = time.process_time()
    for _ in range(rounds):
        run()
    return (time.process_time() - started) / rounds * 1000


class Postings:
    """`posting(part, term, item)` as the store has it, four parts."""

    name = "postings"

    def __init__(self, con: apsw.Connection) -> None:
        self.con = con
        key = "PRIMARY KEY (part, term, item)"
        con.execute(f"CREATE TABLE posting (part INTEGER, term TEXT, item INTEGER, {key}) WITHOUT ROWID")

    def add(self, documents: Sequence[tuple[int, list[str]]]) -> None:
        rows = sorted((key % 4, term, key) for key, tokens in documents for term in set(tokens))
        self.con.executemany("INSERT INTO posting VALUES (?, ?, ?)", rows)

    def drop(self, key: int, tokens: list[str]) -> None:
        rows = [(key % 4, term, key) for term in set(tokens)]
        self.con.executemany("DELETE FROM posting WHERE part = ? AND term = ? AND item = ?", rows)

    def query(self, terms: Sequence[str], prefix: str = "") -> tuple[dict[str, int], int]:
        """Exact document frequency of each term within three of four parts, and how many items match in all."""
        parts = (0, 1, 2)
        sql = "SELECT item FROM posting WHERE part = ? AND term = ?"
        found = {term: {k for (k,) in self.con.executemany(sql, [(part, term) for part in parts])} for term in terms}
        if prefix:
            sql = "SELECT item FROM posting WHERE part = ? AND term >= ? AND term < ?"
            bound = [(part, prefix, prefix + "\U0010ffff") for part in parts]
            found[prefix] = {k for (k,) in self.con.executemany(sql, bound)}
        return {term: len(keys) for term, keys in found.items()}, len(set().union(*found.values()))


class Fts5:
    """An FTS5 table over the joined tokens, detail=none, with the part in a table beside it."""

    name = "fts5"
    secure = False

    def __init__(self, con: apsw.Connection) -> None:
        self.con = con
        options = "tokenize='unicode61', detail='none', prefix='3', content=''"
        con.execute(f"CREATE VIRTUAL TABLE words USING fts5(t, {options})")
        if self.secure:
            con.execute("INSERT INTO words (words, rank) VALUES ('secure-delete', 1)")
        con.execute("CREATE TABLE doc (key INTEGER PRIMARY KEY, part INTEGER, t TEXT)")

    def add(self, documents: Sequence[tuple[int, list[str]]]) -> None:
        rows = [(key, " ".join(tokens)) for key, tokens in documents]
        self.con.executemany("INSERT INTO words (rowid, t) VALUES (?, ?)", rows)
        self.con.executemany("INSERT INTO doc VALUES (?, ?, ?)", [(key, key % 4, text) for key, text in rows])

    def drop(self, key: int, tokens: list[str]) -> None:
        self.con.execute("INSERT INTO words (words, rowid, t) VALUES ('delete', ?, ?)", (key, " ".join(tokens)))
        self.con.execute("DELETE FROM doc WHERE key = ?", (key,))

    def query(self, terms: Sequence[str], prefix: str = "") -> tuple[dict[str, int], int]:
        sql = "SELECT key FROM words JOIN doc ON key = words.rowid WHERE words MATCH ? AND part IN (0, 1, 2)"
        found = {term: {k for (k,) in self.con.execute(sql, (f'"{term}"',))} for term in terms}
        if prefix:
            found[prefix] = {k for (k,) in self.con.execute(sql, (f'"{prefix}"*',))}
        return {term: len(keys) for term, keys in found.items()}, len(set().union(*found.values()))


class SecureFts5(Fts5):
    """The same with FTS5's own `secure-delete`."""

    name = "fts5 s-d"
    secure = True


def measure(
    kind: type[Postings] | type[Fts5], documents: list[tuple[int, list[str]]], queries: list[list[str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite3"
        path.touch()
        con = connect(path, busy_timeout_seconds=5)
        con.pragma("journal_mode", "wal")
        index = kind(con)

        def transaction(run: Callable[[], object]) -> Callable[[], object]:
            def inside() -> None:
                con.execute("BEGIN IMMEDIATE")
                run()
                con.execute("COMMIT")

            return inside

        build = cpu_ms(transaction(lambda: index.add(documents)))
        fresh = iter(range(10**7, 10**8))
        small = cpu_ms(transaction(lambda: index.add([(next(fresh), documents[0][1])])), 200)
        exact = cpu_ms(lambda: [index.query(query) for query in queries], 3) / len(queries)
        prefixed = cpu_ms(lambda: [index.query(query[:2], query[2][:3]) for query in queries], 3) / len(queries)
        secret = (5 * 10**7, ["zzsecretzz", "other"])
        transaction(lambda: index.add([secret]))()
        transaction(lambda: index.drop(*secret))()
        con.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        left = any(b"secretzz" in file.read_bytes() for file in Path(folder).iterdir())
        size = path.stat().st_size / 1e6
        con.close()
    print(
        f"{kind.name:9} build {build:7.0f} ms · one item {small:.3f} ms · 3 terms {exact:.3f} ms · 2 terms + prefix"
        f" {prefixed:.3f} ms · {size:.1f} MB · bytes of a dropped word left: {'yes' if left else 'no'}"
    )


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 15_000
    documents = list(enumerate(corpus(items), start=1))
    rng = random.Random(3)
    queries = [[rng.choice(tokens) for _, tokens in rng.sample(documents, 3)] for _ in range(40)]
    print(f"{items} items of {TOKENS} tokens, SQLite {apsw.sqlite_lib_version()}")
    for kind in (Postings, Fts5, SecureFts5):
        measure(kind, documents, queries)


if __name__ == "__main__":
    main()
