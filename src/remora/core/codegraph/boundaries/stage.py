"""The last stage of a build: all endpoints of the tree, stored and new, become boundaries."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from remora.core.codegraph.boundaries.endpoints import Endpoint, unpacked
from remora.core.codegraph.boundaries.rows import Symbols, boundary_rows
from remora.core.codegraph.overlay import Overlay
from remora.core.codegraph.snapshot import GraphUpdate

NATIVE_MANIFESTS = frozenset({"Cargo.toml"})
"""Files beside modules that another language can load."""


def cross(
    update: GraphUpdate,
    overlay: Overlay,
    stored: Mapping[int, str],
    paths: Mapping[int, str],
    language: Callable[[str], str],
    manifest: Callable[[int], Mapping[str, Any]],
) -> None:
    """Put the boundaries of the whole tree into an update. `paths` are the files that will be in the graph."""
    texts = {file: text for file, text in stored.items() if file in paths and file not in update.relinked}
    texts.update(update.endpoints)
    endpoints: dict[int, list[Endpoint]] = {
        file: unpacked(json.loads(text)) for file, text in sorted(texts.items(), key=lambda item: paths[item[0]])
    }
    crates = {
        path.rpartition("/")[0]: _names(manifest(file))
        for file, path in paths.items()
        if path.rpartition("/")[2] in NATIVE_MANIFESTS
    }
    symbols = Symbols(overlay.find, overlay.named, paths, lambda file: language(paths[file]), crates)
    found = boundary_rows(endpoints, symbols)
    update.boundaries, update.boundary_edges = found.nodes, found.edges
    update.meta["unmatched_boundaries"] = str(found.unmatched)


def _names(content: Mapping[str, Any]) -> list[str]:
    """Names of the module a manifest builds."""
    parts = (content.get("package"), content.get("lib"))
    return [str(part["name"]) for part in parts if isinstance(part, dict) and "name" in part]
