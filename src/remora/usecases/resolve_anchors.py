"""Say where code anchors are now: at their place, moved, or no longer told apart in the present code graph."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from remora.core.capture.documents import SymbolLookup
from remora.core.errors import InvalidInput
from remora.core.graph import Json
from remora.core.policy import ANCHORS_RESOLVED_MAX
from remora.core.scope import Grant, Right
from remora.core.source import Anchor
from remora.ports import Repository


class AnchorPorts(Protocol):
    """The part of the bag that resolving needs."""

    @property
    def repository(self) -> Repository:
        """Which repository the bag is bound to."""
        ...

    @property
    def symbol(self) -> SymbolLookup:
        """(node id, file) of the one symbol that a name means, or None."""
        ...


def resolve_anchors(ports: AnchorPorts, grant: Grant, uris: Iterable[str]) -> Mapping[str, dict[str, Json]]:
    """Per `code:` URI its node id and state: `present`, `moved` (`now` is the new anchor), `file` (only that is left)
    or `absent`. Other URIs, and those beyond the limit, are left out.
    """
    grant.require(ports.repository.identity, Right.READ)
    out: dict[str, dict[str, Json]] = {}
    for uri in dict.fromkeys(uris):
        if len(out) >= ANCHORS_RESOLVED_MAX:
            break
        try:
            out[uri] = _resolved(ports, Anchor.parse(uri))
        except InvalidInput:
            continue  # a record, a fact, a page
    return out


def _resolved(ports: AnchorPorts, anchor: Anchor) -> dict[str, Json]:
    here = ports.symbol(f"{anchor.symbol}@{anchor.path}" if anchor.symbol else anchor.path)
    if here is not None and here[1] == anchor.path:
        return {"state": "present", "node": here[0]}
    elsewhere = ports.symbol(anchor.symbol) if anchor.symbol else None
    if elsewhere is not None:
        node, path = elsewhere
        return {"state": "moved", "node": node, "now": Anchor(path, node.partition("#")[2]).uri}
    file = ports.symbol(anchor.path) if anchor.symbol else None
    if file is not None and file[1] == anchor.path:
        return {"state": "file", "node": file[0]}
    return {"state": "absent"}
