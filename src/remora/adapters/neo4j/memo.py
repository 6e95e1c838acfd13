"""What a process remembers of a partition: only what never changes, so that nothing of it can be out of date."""

from collections.abc import Iterable

from remora.adapters.neo4j.rows import unpack
from remora.core.graph import Item
from remora.core.policy import SERVER_MEMO_IDS, SERVER_MEMO_ITEMS


class Memo:
    """Key -> id, which holds for ever, and items read before, taken again when the very same payload comes."""

    def __init__(self) -> None:
        self.ids: dict[int, str] = {}
        self._items: dict[int, tuple[str, Item]] = {}

    def learn(self, rows: Iterable[tuple[int, str]]) -> None:
        """Note (key, id) rows. A full memory begins anew with them."""
        if len(self.ids) > SERVER_MEMO_IDS:
            self.ids = {}
        self.ids.update(rows)

    def item(self, key: int, payload: object, crc: object) -> Item | None:
        """The item of a payload, or None when it is not what was written."""
        known = self._items.get(key)
        if known is not None and known[0] == payload:
            return known[1]
        item = unpack(payload, crc)
        if item is not None and isinstance(payload, str):
            if len(self._items) >= SERVER_MEMO_ITEMS:
                self._items = {}
            self._items[key] = (payload, item)
        return item

    def forget(self) -> None:
        """Keep nothing; after an erasure no text stays in the process either."""
        self.ids, self._items = {}, {}
