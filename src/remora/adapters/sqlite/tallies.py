"""Exact counts per part (family, label, scope), kept up to date by the differences that one write makes."""

from collections import Counter

import apsw

from remora.adapters.sqlite.rows import Reader, number_list, unpack
from remora.core.graph import Item

_UPDATE = "UPDATE part SET items = items + ?, documents = documents + ? WHERE id = ?"
_ADD_FIELD = "INSERT INTO part_field VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET tokens = tokens + ?3"
_CONTENT = "SELECT payload, crc FROM item WHERE part = ?"


class Tallies:
    """Differences collected during one write; `settle` writes them."""

    def __init__(self, con: apsw.Connection, reader: Reader) -> None:
        self._con = con
        self._reader = reader
        self._items: Counter[int] = Counter()
        self._documents: Counter[int] = Counter()
        self._fields: Counter[tuple[int, str]] = Counter()
        self._unsure: set[int] = set()

    def add(self, part: int, item: Item) -> None:
        """An item came to the part."""
        self._count(part, item, 1)

    def remove(self, part: int, item: Item | None) -> None:
        """An item left the part; None = damaged, so that what it counted for is unknown."""
        if item is None:
            self._unsure.add(part)
            self._items[part] -= 1
        else:
            self._count(part, item, -1)

    def _count(self, part: int, item: Item, sign: int) -> None:
        self._items[part] += sign
        if any(item.tokens.values()):
            self._documents[part] += sign
            for field, tokens in item.tokens.items():
                self._fields[part, field] += sign * len(tokens)

    def settle(self) -> None:
        """Bring the stored counts up to date and forget parts that became empty, names included."""
        self._con.executemany(
            _UPDATE,
            [(count, self._documents[part], part) for part, count in self._items.items() if self._changed(part)],
        )
        self._con.executemany(_ADD_FIELD, [(*place, count) for place, count in self._fields.items() if count])
        for part in self._unsure:
            self._recount(part)
        touched = number_list(self._items)
        empty = f"(SELECT id FROM part WHERE items = 0 AND id IN ({touched}))"  # noqa: S608 - our own integers
        self._con.execute(f"DELETE FROM part_field WHERE part IN {empty}")  # noqa: S608 - see above
        self._con.execute(f"DELETE FROM part WHERE id IN {empty}")  # noqa: S608 - see above

    def _changed(self, part: int) -> bool:
        return bool(self._items[part] or self._documents[part])

    def _recount(self, part: int) -> None:
        fields: Counter[str] = Counter()
        documents = 0
        for payload, crc in self._reader.fetch(_CONTENT, [(part,)]):
            item = unpack(payload, crc)
            if item is not None and any(item.tokens.values()):
                documents += 1
                fields.update({field: len(tokens) for field, tokens in item.tokens.items()})
        self._con.execute("UPDATE part SET documents = ? WHERE id = ?", (documents, part))
        self._con.execute("DELETE FROM part_field WHERE part = ?", (part,))
        self._con.executemany(_ADD_FIELD, [(part, field, count) for field, count in fields.items()])
