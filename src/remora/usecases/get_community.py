"""Parts of the code that hang together: all of them, or one with its members."""

from dataclasses import dataclass

from remora.core import policy
from remora.core.codegraph.answers import Freshness, checked_budget, within
from remora.core.codegraph.communities import Communities, Community, current
from remora.core.codegraph.view import GraphView, names_of
from remora.core.errors import NotFound
from remora.core.scope import Grant, Right
from remora.ports import CommunityPorts


@dataclass(frozen=True, slots=True)
class CommunityRequest:
    """`of` is a part's id, or a symbol or file as for `affected`; "" lists all parts."""

    of: str = ""
    budget_chars: int = policy.ANSWER_CHARS


@dataclass(frozen=True, slots=True)
class CommunityView:
    """A part as answers show it: its members are listed only when one part was asked for."""

    id: str
    label: str
    symbols: int
    files: tuple[str, ...]
    total_files: int
    central: tuple[str, ...]
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommunityAnswer:
    """Parts, largest first; `small` ones hold too few symbols to have a name."""

    parts: tuple[CommunityView, ...]
    total: int
    small: int
    truncated: bool
    freshness: Freshness


def get_community(ports: CommunityPorts, grant: Grant, request: CommunityRequest) -> CommunityAnswer:
    """The parts of the code as it is now; found anew when the graph changed. Raises `NotFound` for a symbol in none."""
    grant.require(ports.repository.identity, Right.READ)
    budget = checked_budget(request.budget_chars)
    freshness = ports.freshness()
    with ports.code_graph.read() as view:
        stored = ports.communities.load()
        found = current(view, stored, ports.metrics.communities)
        wanted = _wanted(view, found, request.of.strip()) if request.of.strip() else None
    if found is not stored:
        ports.communities.save(found)
    if wanted is not None:
        members, cut = within(wanted.members, lambda member: len(member) + 2, budget)
        return CommunityAnswer((_view(wanted, members),), len(found.parts), found.small, cut, freshness)
    views = [_view(part) for part in found.parts]
    shown, cut = within(views, _chars, budget)
    return CommunityAnswer(shown, len(views), found.small, cut, freshness)


def _wanted(view: GraphView, communities: Communities, name: str) -> Community:
    for part in communities.parts:
        if part.id == name:
            return part
    names = names_of(view)
    part_of = communities.of(names.id(names.one(name)))
    if part_of is None:
        raise NotFound("the symbol is in no part of the code that is large enough to have a name")
    return part_of


def _view(part: Community, members: tuple[str, ...] = ()) -> CommunityView:
    files = part.files[: policy.COMMUNITY_FILES_SHOWN]
    return CommunityView(part.id, part.label, len(part.members), files, len(part.files), part.central, members)


def _chars(part: CommunityView) -> int:
    return len(part.label) + sum(map(len, part.files)) + sum(map(len, part.central)) + policy.RELATION_OVERHEAD_CHARS
