"""Pages merged from several lists: bounded, whole, and in one order."""

from hypothesis import given
from hypothesis import strategies as st

from remora.core.browse.facets import Facets
from remora.core.browse.paging import Position, order, paged
from remora.core.browse.rows import FAMILIES, Row
from remora.core.policy import BROWSE_LOOKED_MAX


def row(at: int, family: str, name: str) -> Row:
    return Row(id=name, family=family, kind="fact", title=name, at=at)


def page_of(rows: list[Row], cursor: str, facets: Facets, limit: int):
    begin = Position.parse(cursor)
    lists = []
    for family in FAMILIES:
        own = sorted((r for r in rows if r.family == family), key=order)
        if begin is not None:
            at, last = begin.within(family)
            own = [r for r in own if (-r.at, r.id) > (-at, last)]
        lists.append(iter(own))
    return paged(lists, facets, limit)


def test_a_page_looks_at_a_bounded_number_and_goes_on_from_there():
    rows = [row(n, "facts", f"f{n}") for n in range(BROWSE_LOOKED_MAX + 5)]
    nobody = Facets(source="nobody")
    first = page_of(rows, "", nobody, 50)
    assert (first.rows, first.looked) == ((), BROWSE_LOOKED_MAX)
    second = page_of(rows, first.next_cursor, nobody, 50)
    assert (second.rows, second.looked, second.next_cursor) == ((), 5, "")


@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from(FAMILIES)), max_size=40),
    st.integers(1, 9),
    st.sampled_from([Facets(), Facets(since=2), Facets(until=4)]),
)
def test_pages_hold_every_row_that_passes_once_and_in_order(made, limit, facets):
    rows = [row(at, family, f"i{n:03d}") for n, (at, family) in enumerate(made)]
    seen: list[Row] = []
    cursor = ""
    for _ in range(100):
        page = page_of(rows, cursor, facets, limit)
        seen += page.rows
        cursor = page.next_cursor
        if not cursor:
            break
    assert seen == [r for r in sorted(rows, key=order) if facets.admits(r)]
