"""The last communities of a checkout as one JSON file in its cache."""

import json
import os
from contextlib import suppress
from pathlib import Path

from remora.core.codegraph.communities import Communities, Community

_LAYOUT = 1


class CommunitiesFile:
    """`communities.json` in a checkout's cache folder; replaced in one step, unreadable is the same as absent."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "communities.json"

    def load(self) -> Communities | None:
        """The last communities, or None."""
        try:
            data = json.loads(self._path.read_bytes())
            if data["layout"] != _LAYOUT:
                return None
            parts = tuple(
                Community(row["id"], row["label"], *(tuple(row[key]) for key in ("files", "members", "central")))
                for row in data["parts"]
            )
            return Communities(data["graph"], data["commit"], parts, data["small"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, communities: Communities) -> None:
        """Keep these; what cannot be written is found again next time."""
        parts = [
            {"id": part.id, "label": part.label, "files": part.files, "members": part.members, "central": part.central}
            for part in communities.parts
        ]
        data = {"layout": _LAYOUT, "graph": communities.graph, "commit": communities.commit}
        text = json.dumps(data | {"small": communities.small, "parts": parts})
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}.new")
        with suppress(OSError):
            self._path.parent.mkdir(0o700, parents=True, exist_ok=True)
            fresh.touch(0o600)
            fresh.write_text(text, encoding="ascii")
            fresh.replace(self._path)
