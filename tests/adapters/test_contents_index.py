"""The contents index on disk answers what contents held in memory answer, and reads nothing twice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from remora.adapters.sqlite.contents_index import SqliteContentsIndex
from remora.core.locate.contents import Contents
from remora.core.locate.held import HeldContents

TEXTS = {
    "b1": b"def refresh_token():\n    return rotate(key)\n",
    "b2": b"# Tokens\n\nA token is refreshed when it is old.\n",
    "b3": b"\0binary",
    "b4": "schlüssel token 日本語\n".encode(),
}
TERMS = ("token", "refresh", "rotat", "日本", "absent")
FILES = {"src/a.py": "b1", "docs/a.md": "b2", "logo.png": "b3", "copy.py": "b1", "huge.bin": "gone"}


@dataclass
class Blobs:
    """Blobs by id, and which were read."""

    read_ids: list[str] = field(default_factory=list)

    def read(self, names: Sequence[str]) -> Iterator[bytes | None]:
        for name in names:
            self.read_ids.append(name)
            yield TEXTS.get(name)


def plain(contents: Contents) -> object:
    places = {term: {path: list(lines) for path, lines in held.items()} for term, held in contents.places.items()}
    declared = {term: set(paths) for term, paths in contents.declared.items()}
    return dict(contents.lengths), places, declared, contents.unread


def test_the_index_answers_what_memory_answers(tmp_path: Path) -> None:
    blobs = Blobs()
    index = SqliteContentsIndex(tmp_path / "cache" / "contents.sqlite3", blobs.read)
    expected = HeldContents(Blobs().read, TERMS).find(FILES, TERMS)
    assert plain(index.find(FILES, TERMS)) == plain(expected)
    assert plain(index.find(FILES, TERMS)) == plain(expected)
    index.close()


def test_each_blob_is_read_once_also_by_the_next_process(tmp_path: Path) -> None:
    path, blobs = tmp_path / "contents.sqlite3", Blobs()
    first = SqliteContentsIndex(path, blobs.read)
    first.find(FILES, TERMS)
    first.close()
    again = SqliteContentsIndex(path, blobs.read)
    found = again.find({**FILES, "new.txt": "b4"}, TERMS)
    again.close()
    assert sorted(blobs.read_ids) == ["b1", "b2", "b3", "b4", "gone"]
    assert list(found.places["日本"]) == ["new.txt"]


def test_a_damaged_index_is_thrown_away_and_built_again(tmp_path: Path) -> None:
    path = tmp_path / "contents.sqlite3"
    path.write_bytes(b"this is no database, and long enough to be looked at as one" * 200)
    index = SqliteContentsIndex(path, Blobs().read)
    assert set(index.find(FILES, TERMS).places["token"]) == {"src/a.py", "docs/a.md", "copy.py"}
    index.close()


def test_a_place_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    index = SqliteContentsIndex(tmp_path / "file" / "contents.sqlite3", Blobs().read)
    assert set(index.find(FILES, TERMS).places["token"]) == {"src/a.py", "docs/a.md", "copy.py"}
    index.close()
