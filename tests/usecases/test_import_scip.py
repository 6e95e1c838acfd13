"""A SCIP index confirms relations that are there and makes none; other bytes are refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_checkout import GRANT, Checkout
from remora.core.codegraph.scip import read_index
from remora.core.errors import InvalidInput
from remora.usecases.import_scip import import_scip

STORE = "class Store:\n    def only_here(self):\n        return 1\n"
USES = "def use(thing):\n    return thing.only_here()\n\n\ndef other(thing):\n    return thing.only_here()\n"
APP = "from store import Store\n\n\n" + USES + "\n\ndef make():\n    made = Store()\n    return made.only_here()\n"
SYMBOL = "scip-python python app 1 store/Store#only_here()."


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def field(number: int, data: bytes | int) -> bytes:
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    return varint(number << 3 | 2) + varint(len(data)) + data


def occurrence(line: int, symbol: str, *, definition: bool = False) -> bytes:
    place = b"".join(map(varint, (line - 1, 4, 9)))
    return field(2, field(1, place) + field(2, symbol.encode()) + (field(3, 1) if definition else b""))


def document(path: str, *occurrences: bytes) -> bytes:
    return field(2, field(4, b"python") + field(1, path.encode()) + b"".join(occurrences))


INDEX = (
    field(1, field(3, b"file:///app"))
    + document("store.py", occurrence(2, SYMBOL, definition=True))
    + document("app.py", occurrence(5, SYMBOL), occurrence(5, "local 0"), occurrence(14, SYMBOL))
    + document("gone.py", occurrence(1, SYMBOL))
)
USE, MAKE, TARGET = "app.py#use", "app.py#make", "store.py#Store.only_here"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path).write(store=STORE, app=APP)
    made.index()
    return made


def test_what_the_index_saw_is_of_the_first_tier_and_nothing_else_changes(checkout: Checkout) -> None:
    before = checkout.tiers()
    assert (USE, TARGET) not in before
    assert before[(MAKE, TARGET)] == "INFERRED"
    rows, unresolved, files, _ = checkout.state()  # type: ignore[misc]
    result = import_scip(checkout, GRANT, INDEX)
    assert (result.lifted, result.bound, result.documents, result.unknown_documents) == (1, 1, 2, 1)
    assert checkout.tiers() == before | {(USE, TARGET): "EXTRACTED", (MAKE, TARGET): "EXTRACTED"}
    after = checkout.state()
    assert (after[0], after[2]) == (rows, files)  # type: ignore[index]
    assert [row for row in unresolved if row not in after[1]] == [(("app.py", "use"), 5, "thing.only_here")]  # type: ignore[index]
    again = import_scip(checkout, GRANT, INDEX)
    assert (again.lifted, again.bound) == (0, 0)


def test_a_bound_call_counts_in_impact_until_its_file_is_linked_again(checkout: Checkout) -> None:
    import_scip(checkout, GRANT, INDEX)
    assert "python:app.py#use" in {row.id for row in checkout.affected(TARGET).affected}
    checkout.write(app=APP + "# more\n").index()
    assert "python:app.py#use" not in {row.id for row in checkout.affected(TARGET).affected}
    whole = checkout.export()
    checkout.index(full=True)
    assert checkout.export() == whole


def test_an_index_of_another_text_confirms_nothing(checkout: Checkout) -> None:
    checkout.write(app="# a\n" * 30 + APP).index()
    result = import_scip(checkout, GRANT, INDEX)
    assert (result.lifted, result.bound) == (0, 0)


@pytest.mark.parametrize("data", [b"", b"hello", b"\x12\xff\xff\xff\xff\x7f", b"\x80" * 20, field(1, b"x"), INDEX[:-7]])
def test_other_bytes_are_refused(checkout: Checkout, data: bytes) -> None:
    with pytest.raises(InvalidInput):
        import_scip(checkout, GRANT, data)


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        read_index(data)
    except InvalidInput as error:
        assert error.field == "file"  # noqa: PT017
