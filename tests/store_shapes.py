"""Makers of graph items and changes for tests of stores."""

import struct
from collections.abc import Iterable

from remora.core.graph import Changes, Edge, Item, Json, Node, Vector
from remora.core.scope import REPOSITORY, operator_grant
from remora.ports import Decide, Repository, StoreRead

REPO = Repository(identity="github.com/acme/shop", id="r_0123456789abcdef")
OPERATOR = operator_grant()
SHARED = (REPOSITORY,)


def node(
    name: str, words: str = "", *, scope: str = REPOSITORY, label: str = "entity", updated: int = 1, **body: Json
) -> Node:
    """A node whose id is its name, with the words as tokens of field `text`."""
    tokens = {"text": tuple(words.split())} if words else {}
    return Node(
        id=name,
        family="facts",
        label=label,
        scope=scope,
        name=name,
        body=body,
        tokens=tokens,
        created=1,
        updated=updated,
    )


def edge(
    source: str, target: str, name: str = "USES", words: str = "", *, scope: str = REPOSITORY, label: str = "fact",
    updated: int = 1, **body: Json,
) -> Edge:  # fmt: skip
    """An edge whose id tells its ends and name."""
    tokens = {"text": tuple(words.split())} if words else {}
    return Edge(
        id=f"{source}-{name}-{target}", family="facts", label=label, scope=scope, name=name, source=source,
        target=target, body=body, tokens=tokens, created=1, updated=updated,
    )  # fmt: skip


def vector(item: str, *values: float, model: str = "m") -> Vector:
    """A vector of these numbers."""
    return Vector(item=item, model=model, text_hash="h", data=floats(*values))


def floats(*values: float) -> bytes:
    """Numbers as little-endian float32."""
    return struct.pack(f"<{len(values)}f", *values)


def plan(*put: Item, drop: Iterable[str] = (), vectors: Iterable[Vector] = (), result: Json = None) -> Decide:
    """A decision that does not look."""
    changes = Changes(put=put, drop=tuple(drop), vectors=tuple(vectors), result=result)

    def decide(view: StoreRead, moment: int) -> Changes:
        return changes

    return decide
