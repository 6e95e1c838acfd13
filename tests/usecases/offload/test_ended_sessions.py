"""A session that ended is refused at once, and after the sweep nothing of it is in the bytes of the database files."""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fakes.clock import FakeClock
from remora.adapters.offload_queue import OffloadQueue
from remora.adapters.sqlite.store import open_store
from remora.core.embedding import TextKind
from remora.core.errors import Conflict, NotFound
from remora.core.facts.batch import Triple
from remora.core.policy import SESSION_LIFETIME_DAYS
from remora.usecases.list_sessions import ListSessionsRequest, list_sessions
from remora.usecases.offload_transcript import OffloadTranscriptRequest, offload_transcript
from remora.usecases.remember import RememberRequest, remember
from remora.usecases.revoke_session import RevokeSessionRequest, revoke_session
from remora.usecases.sweep_sessions import sweep_sessions
from store_shapes import REPO
from usecases.offload.conftest import OPERATOR, Bag

VECTOR = struct.pack("<4f", 0.1234, -0.5678, 0.9101, 0.1122)
WORDS = (b"Quokkaservice", b"quokkaservic", b"Zyzzyvadb", b"zyzzyvadb", VECTOR)


class FixedEmbedder:
    """Every text is one vector that can be found again."""

    id, dim, max_batch, floor = "fixed:1", 4, 16, 0.3

    def embed(self, texts: Sequence[str], kind: TextKind) -> Sequence[bytes]:
        return [VECTOR] * len(texts)


@pytest.fixture
def bag(tmp_path: Path) -> Iterator[Bag]:
    clock = FakeClock()
    made = Bag(open_store(tmp_path / "store.sqlite3", REPO, clock), clock, OffloadQueue("h"), embedder=FixedEmbedder())
    yield made
    made.queue.drain(20)
    made.store.close()


def found(folder: Path) -> set[bytes]:
    """Which of the words are in the bytes of the database and its journals."""
    data = b"".join(path.read_bytes() for path in folder.glob("store.sqlite3*"))
    return {word for word in WORDS if word in data}


def fill(bag: Bag) -> str:
    """A session with a fact of its own, an offloaded one, their vectors, index rows and a cursor; returns its id."""
    ref = bag.register("chat-1")
    said = Triple(subject="Quokkaservice", predicate="USES", object="Zyzzyvadb")
    remember(bag, OPERATOR, RememberRequest(triples=[said], memory_scope="session", session=ref))
    request = OffloadTranscriptRequest(
        client="claude-code", session_id="chat-1", summary="The Quokkaservice runs on Zyzzyvadb."
    )
    assert offload_transcript(bag, OPERATOR, request).job
    assert bag.finished()[0]["facts"] == {"created": 1}
    [session] = list_sessions(bag, OPERATOR, ListSessionsRequest()).sessions
    return session.id


def refused(bag: Bag) -> None:
    request = OffloadTranscriptRequest(client="claude-code", session_id="chat-1", summary="more")
    with pytest.raises(NotFound):
        offload_transcript(bag, OPERATOR, request)
    with pytest.raises(Conflict):
        bag.register("chat-1")


def test_a_session_that_ran_out_is_refused_at_once_and_gone_after_the_sweep(bag: Bag, tmp_path: Path) -> None:
    fill(bag)
    assert {b"Quokkaservice", b"Zyzzyvadb", VECTOR} <= found(tmp_path)
    bag.clock.advance(SESSION_LIFETIME_DAYS * 86_400 + 1)
    refused(bag)
    sweep_sessions(bag, OPERATOR)
    assert found(tmp_path) == set()
    refused(bag)


def test_a_revoked_session_is_refused_at_once_and_gone_after_the_sweep(bag: Bag, tmp_path: Path) -> None:
    session = fill(bag)
    revoke_session(bag, OPERATOR, RevokeSessionRequest(id=session))
    refused(bag)
    sweep_sessions(bag, OPERATOR)
    assert found(tmp_path) == set()
