"""Named projections of one session: definitions that are kept, and computed anew from the graph at each use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from remora.core.analytics.topology import Projection, project
from remora.core.encounters.nodes import Authored
from remora.core.encounters.schema import AUTHORED_RELATIONS, AUTHORED_TYPES
from remora.core.errors import InvalidInput, LimitReached, NotFound
from remora.core.graph import Item, Json, Node
from remora.core.ids import computed_id
from remora.core.policy import PROJECTIONS_PER_SESSION
from remora.core.scope import SYSTEM
from remora.core.text import name_key

FAMILY = "projections"
LABEL = "Shelf"


def shelf_id(session: str) -> str:
    """Id of a session's shelf of projections: two sessions may use one name and never meet."""
    return computed_id("prj_", session)


@dataclass(frozen=True, slots=True)
class Definition:
    """Which node types and relations a projection holds (empty: all authored ones), and whether direction counts."""

    name: str
    node_types: tuple[str, ...] = ()
    rel_types: tuple[str, ...] = ()
    undirected: bool = False

    @classmethod
    def checked(
        cls, name: str, node_types: Sequence[str], rel_types: Sequence[str], *, undirected: bool
    ) -> "Definition":
        """A definition within the grammar; encounters are no part of the authored graph. Raises `InvalidInput`."""
        for label, given, allowed in (
            ("node_types", node_types, AUTHORED_TYPES),
            ("rel_types", rel_types, AUTHORED_RELATIONS),
        ):
            unknown = [value for value in given if value not in allowed]
            if unknown:
                raise InvalidInput(label, f"{unknown[0][:60]!r} cannot be projected", allowed=", ".join(allowed))
        return cls(name, tuple(dict.fromkeys(node_types)), tuple(dict.fromkeys(rel_types)), undirected)

    def applied(self, graph: Authored) -> Projection:
        """The projection of a graph as it is now."""
        ids = [item for item, node in graph.nodes.items() if not self.node_types or node.label in self.node_types]
        edges = [edge for edge in graph.edges if not self.rel_types or edge.label in self.rel_types]
        return project(ids, edges, directed=not self.undirected)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The projections of one session, by name key."""

    session: str
    kept: Mapping[str, Definition] = field(default_factory=dict)

    @classmethod
    def of(cls, session: str, found: Mapping[str, Item]) -> "Shelf":
        """The shelf among items read by `shelf_id`; an empty one when there is none."""
        item = found.get(shelf_id(session))
        rows = item.body.get("kept") if item else None
        return cls(session, {key: _read(row) for key, row in rows.items()} if isinstance(rows, dict) else {})

    def find(self, name: str) -> Definition:
        """The definition of this name. Raises `NotFound` and names those there are."""
        found = self.kept.get(name_key(name))
        if found is None:
            known = ", ".join(sorted(definition.name for definition in self.kept.values())) or "none"
            raise NotFound(
                f"this session has no projection {name[:80]!r} (it has: {known})",
                advice="gds_create_projection makes one",
            )
        return found

    def with_one(self, definition: Definition) -> "Shelf":
        """With a definition added or replaced. Raises `LimitReached`."""
        kept = {**self.kept, name_key(definition.name): definition}
        if len(kept) > PROJECTIONS_PER_SESSION:
            raise LimitReached(
                f"a session keeps at most {PROJECTIONS_PER_SESSION} projections and this one has {len(self.kept)}; "
                "gds_drop_projection makes room"
            )
        return replace(self, kept=kept)

    def without(self, name: str) -> "Shelf":
        """Without a definition. Raises `NotFound`."""
        gone = name_key(self.find(name).name)
        return replace(self, kept={key: kept for key, kept in self.kept.items() if key != gone})

    def node(self, now: int) -> Node:
        """The shelf as it is stored, in the system scope."""
        kept: dict[str, Json] = {
            key: {
                "name": definition.name,
                "node_types": list(definition.node_types),
                "rel_types": list(definition.rel_types),
                "undirected": definition.undirected,
            }
            for key, definition in sorted(self.kept.items())
        }
        return Node(
            id=shelf_id(self.session),
            family=FAMILY,
            label=LABEL,
            scope=SYSTEM,
            name=self.session,
            body={"kept": kept},
            created=now,
            updated=now,
        )


def _read(row: Json) -> Definition:
    body = row if isinstance(row, dict) else {}
    return Definition(
        str(body.get("name", "")),
        _words(body.get("node_types")),
        _words(body.get("rel_types")),
        body.get("undirected") is True,
    )


def _words(value: Json) -> tuple[str, ...]:
    return tuple(str(word) for word in value) if isinstance(value, list) else ()
