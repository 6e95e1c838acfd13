"""Documents are read for what they decide: title, first prose, status, symbols."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.capture.document_text import Document, read_document
from remora.core.capture.documents import Chain, chains, document_key, document_kind, next_record, tombstones
from remora.core.clients.marked_block import MARKDOWN, put_block
from remora.core.ids import digest
from remora.core.records.model import Record
from remora.core.records.vocabulary import Lifecycle, RecordKind, Relation

NYGARD = b"""# 3. Use a write-ahead log

Date: 2021-03-04

## Status

Accepted

Supersedes [2. Use rollback journals](0002-rollback.md)

## Context

Readers *block* writers, and [writers](x.md) block readers.
It hurts.

Another paragraph.

Remora-Symbols: open_store, `Store.apply`
"""
MADR = b"""---
status: "superseded by [ADR-0007](0007-b.md)"
date: 2022-05-06
remora-symbols:
  - Cache
  - Cache.get
---
<!-- a comment
over lines -->
# Cache in the process

![diagram](x.png)

| a | b |
|---|---|

```
# not a heading
not prose
```

We keep snapshots in memory.
"""
RST = b"""Releasing
=========

.. note:: a note

Cut a tag and push it.
"""


def read(data: bytes, path: str = "docs/adr/0003-wal.md") -> Document:
    document = read_document(path, data)
    assert document is not None
    return document


def test_a_classic_decision_record_is_understood() -> None:
    document = read(NYGARD)
    assert document.title == "3. Use a write-ahead log"
    assert document.summary == "Readers block writers, and writers block readers. It hurts."
    assert document.status == "accepted"
    assert document.symbols == ("open_store", "Store.apply")
    assert document.date == 1614816000
    assert document.digest == digest(NYGARD)


def test_front_matter_comments_code_tables_and_images_are_not_prose() -> None:
    document = read(MADR)
    assert document.title == "Cache in the process"
    assert document.summary == "We keep snapshots in memory."
    assert document.status.startswith("superseded by")
    assert document.symbols == ("Cache", "Cache.get")


def test_underlined_headings_are_titles() -> None:
    document = read(RST, "RELEASING.rst")
    assert (document.title, document.summary) == ("Releasing", "Cut a tag and push it.")


@pytest.mark.parametrize(
    ("text", "title", "summary"),
    [
        (b"just prose\nover two lines\n", "no heading", "just prose over two lines"),
        (b"# Only a title", "Only a title", ""),
        (b"# Title\n\n- one\n- two\n", "Title", "one two"),
        (b"# Title\n\n- one\n- two\n\nProse after.\n", "Title", "Prose after."),
        (b"# Title\n\n* Status: accepted\n* Date: 2020-01-01\n\nProse.\n", "Title", "Prose."),
        (b"= Asciidoc\n\nProse.\n", "Asciidoc", "Prose."),
        (b"\xef\xbb\xbf# BOM\r\n\r\nProse\r\nhere.\r\n", "BOM", "Prose here."),
        (b"# Bidi \xe2\x80\xae and \x1b[31mred\n\n\x07Prose.\n", "Bidi and [31mred", "Prose."),
        (b"# Latin \xe9\n\nProse \xff.\n", "Latin \ufffd", "Prose \ufffd."),
    ],
)
def test_titles_and_summaries(text: bytes, title: str, summary: str) -> None:
    document = read(text, "docs/adr/no-heading.md")
    assert (document.title, document.summary) == (title, summary)


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\0binary", b"\xef\xbb\xbf"])
def test_nothing_is_no_document(data: bytes) -> None:
    assert read_document("AGENTS.md", data) is None


def test_line_ends_and_a_byte_order_mark_are_no_change() -> None:
    windows = b"\xef\xbb\xbf" + NYGARD.replace(b"\n", b"\r\n")
    assert read(windows) == read(NYGARD)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_our_own_block_is_no_part_of_the_document(newline: str) -> None:
    text = newline.join(["# Agents", "", "Run the tests first.", ""])
    with_block = put_block(text, MARKDOWN, "Use remora.\n")
    assert read(with_block.encode(), "AGENTS.md") == read(text.encode(), "AGENTS.md")
    assert read_document("AGENTS.md", put_block(None, MARKDOWN, "Use remora.\n").encode()) is None


@given(st.binary(max_size=400))
def test_any_bytes_are_read_without_a_fault(data: bytes) -> None:
    document = read_document("docs/adr/x.md", data)
    if document is not None:
        assert document.title
        assert "\n" not in document.title + document.summary
        document.title.encode()
        document.summary.encode()


PIECES = ["#", "a ", "<!--", "`", "[", "* ", "![](", "-\n", "=\n", "- a\n", "---\na: b\n", "[](", "a\n=\n"]


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_text_is_read_quickly(piece: str) -> None:
    start = time.process_time()
    read_document("docs/adr/x.md", f"# T\n\n{piece * 30_000}\n".encode())
    read_document("docs/adr/x.md", f"{piece * 30_000}\n".encode())
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("adr/0001.md", RecordKind.ARCHITECTURE_DECISION),
        ("docs/adrs/a.rst", RecordKind.ARCHITECTURE_DECISION),
        ("docs/architecture/decisions/a.md", RecordKind.ARCHITECTURE_DECISION),
        ("doc/adr/0001.md", RecordKind.ARCHITECTURE_DECISION),
        ("docs/runbooks/db/restart.md", RecordKind.PROCEDURE),
        ("playbooks/x.txt", RecordKind.PROCEDURE),
        ("procedures/README.md", RecordKind.PROCEDURE),
        ("CONTRIBUTING.md", RecordKind.CONVENTION),
        ("AGENTS.md", RecordKind.CONVENTION),
        ("Releasing.rst", RecordKind.CONVENTION),
        ("docs/adr/template.md", None),
        ("docs/adr/README.md", None),
        ("docs/adr/x.png", None),
        ("src/adr/x.md", None),
        ("docs/CONTRIBUTING.md", None),
        ("README.md", None),
        ("adr", None),
    ],
)
def test_which_files_are_documents(path: str, kind: RecordKind | None) -> None:
    assert document_kind(path) is kind


def step(data: bytes, made: list[Record], now: int) -> Record | None:
    """What the next look at a document adds to its records."""
    chain = Chain(tuple(reversed(made)))
    record = next_record(
        "docs/adr/a.md", read(data), chain, repository="repo", now=now, symbol={"known": ("n1", "a.py")}.get
    )
    if record is not None:
        made.append(record)
    return record


def test_content_that_comes_back_is_a_new_record_derived_from_the_first() -> None:
    made: list[Record] = []
    a, b = b"# T\n\nA.\n", b"# T\n\nB.\n"
    first, second, third = step(a, made, 1), step(b, made, 2), step(a, made, 3)
    assert first
    assert second
    assert third
    assert first.idempotency_key == document_key("docs/adr/a.md", digest(a))
    assert second.targets(Relation.SUPERSEDES) == (first.id,)
    assert third.targets(Relation.SUPERSEDES) == (second.id,)
    assert third.targets(Relation.DERIVED_FROM) == (first.id,)
    assert step(a, made, 4) is None
    fourth = step(b, made, 5)
    assert fourth
    assert len({record.id for record in made}) == 4
    assert [record.id for record in Chain(tuple(made)).heads] == [fourth.id]


def test_a_document_that_is_gone_is_taken_back_once_and_may_return() -> None:
    made: list[Record] = []
    first = step(b"# T\n\nA.\n", made, 1)
    (gone,) = tombstones(Chain(tuple(made)), now=2)
    assert first
    assert gone.targets(Relation.SUPERSEDES) == (first.id,)
    assert gone.lifecycle is Lifecycle.RETRACTED
    made.append(gone)
    assert tombstones(Chain(tuple(made)), now=3) == ()
    back = step(b"# T\n\nA.\n", made, 4)
    assert back
    assert back.lifecycle is Lifecycle.ACTIVE
    assert back.targets(Relation.SUPERSEDES) == (gone.id,)
    assert back.targets(Relation.DERIVED_FROM) == (first.id,)


@pytest.mark.parametrize(
    ("status", "lifecycle", "confidence"),
    [
        ("Accepted", Lifecycle.ACTIVE, 1.0),
        ("Superseded by ADR-7", Lifecycle.SUPERSEDED, 1.0),
        ("**Deprecated**", Lifecycle.SUPERSEDED, 1.0),
        ("Rejected", Lifecycle.RETRACTED, 1.0),
        ("proposed", Lifecycle.ACTIVE, 0.5),
        ("whatever", Lifecycle.ACTIVE, 1.0),
    ],
)
def test_a_stated_status_decides_how_the_record_stands(status: str, lifecycle: Lifecycle, confidence: float) -> None:
    record = step(f"# T\n\n## Status\n\n{status}\n\n## Context\n\nProse.\n".encode(), [], 1)
    assert record
    assert (record.lifecycle, record.confidence, record.summary) == (lifecycle, confidence, "Prose.")


def test_names_that_mean_one_symbol_are_anchors_and_others_stay_raw() -> None:
    record = step(b"# T\n\nRemora-Symbols: known, unknown\n", [], 1)
    assert record
    known, unknown = record.affected_symbols
    assert (known.node_id, known.source_file, known.confidence) == ("n1", "a.py", 1.0)
    assert (unknown.label, unknown.source_file, unknown.confidence) == ("unknown", "", 0.5)


def test_records_of_other_repositories_and_makers_are_no_part_of_a_chain() -> None:
    made: list[Record] = []
    step(b"# T\n\nA.\n", made, 1)
    assert set(chains(made, "repo")) == {"docs/adr/a.md"}
    assert chains(made, "other") == {}
