"""A process that dies in the middle of a session loses nothing that it was told is written, and the session goes on."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from encounter_desk import AGENT, REPO, Desk
from remora.adapters.sqlite.store import open_store
from remora.core.encounters.nodes import number
from remora.core.graph import Edge, Node
from remora.core.infusion.ledger import Ledger, ledger_id
from remora.core.scope import SYSTEM
from remora.core.sessions import SessionRef, resolve
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter

WORKER = """
import json, secrets, sys, time
sys.path[:0] = [{tests!r}]
from pathlib import Path
from encounter_desk import AGENT, REPO, Desk, concept, observation
from remora.adapters.sqlite.store import open_store
from remora.core.sessions import SessionRef
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.create_entities import create_entities
from remora.usecases.create_relations import create_relations
from remora.usecases.infuse import InfuseRequest, infuse
from remora.usecases.stamp_delivery import stamp_delivery
class Clock:
    def now(self): return time.time_ns() // 1000
    def token(self, size): return secrets.token_hex(size)
store = Path({store!r})
desk = Desk(clock=Clock(), store=open_store(store, REPO, Clock()), folder=store.parent)
def told(**row): print(json.dumps(row), flush=True)
ref = SessionRef(client="c", session_id="chat")
for step in range({start}, {start} + 1_000):
    made = advance_encounter(desk, AGENT, AdvanceRequest(f"e{{step}}", session=ref))
    told(encounter=f"e{{step}}", handle=made.session)
    ref = SessionRef(handle=made.session)
    create_entities(desk, AGENT, [concept(f"budget {{step}}", "retries"), observation(f"seen {{step}}")], ref)
    told(nodes=[f"budget {{step}}", f"seen {{step}}"])
    grounds = {{"source": f"seen {{step}}", "type": "GROUNDS", "target": f"budget {{step}}"}}
    create_relations(desk, AGENT, [grounds], ref)
    told(relation=step)
    found = infuse(desk, AGENT, InfuseRequest(f"budget {{step}} retries", session=ref))
    stamp_delivery(desk, AGENT, ref, found.receipt.delivered, delta=False)
    told(delivered=dict(found.receipt.delivered))
"""


class Clock:
    """Real time, as the workers have it."""

    def now(self) -> int:
        return time.time_ns() // 1_000

    def token(self, size_bytes: int) -> str:
        return random.randbytes(size_bytes).hex()


def killed(store: Path, start: int, seconds: float) -> list[dict]:
    """What a worker acknowledged before it was killed."""
    program = WORKER.format(tests=str(Path(__file__).resolve().parents[1]), store=str(store), start=start)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout
    first = process.stdout.readline()  # it has begun
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read()
    process.stdout.close()
    process.wait(timeout=30)
    lines = (first + rest).split(b"\n")
    return [json.loads(line) for line in lines[:-1]]


@pytest.mark.parametrize("kills", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_kill_9_in_the_middle_of_a_session_loses_nothing_acknowledged(tmp_path: Path, kills: int) -> None:
    store = tmp_path / "store.sqlite3"
    draw = random.Random(3)
    rows: list[dict] = []
    for at in range(kills):
        rows += killed(store, at * 10_000, draw.uniform(0.0, 0.35))
    desk = Desk(clock=Clock(), store=open_store(store, REPO, Clock()), folder=tmp_path)
    nodes = [item for item in desk.items() if isinstance(item, Node)]
    names = {node.name for node in nodes}
    assert {row["encounter"] for row in rows if "encounter" in row} <= names
    assert {name for row in rows for name in row.get("nodes", ())} <= names
    edges = [item for item in desk.items() if isinstance(item, Edge)]
    grounded = {edge.target for edge in edges if edge.label == "GROUNDS"}
    by_name = {node.name: node.id for node in nodes}
    assert {by_name[f"budget {row['relation']}"] for row in rows if "relation" in row} <= grounded
    encounters = [node for node in nodes if node.label == "Encounter"]
    assert sorted(number(node, "tick") for node in encounters) == list(range(1, len(encounters) + 1))
    nexts = [edge for edge in edges if edge.label == "NEXT_ENCOUNTER"]
    assert len(nexts) == len(encounters) - 1 == len({edge.source for edge in nexts}), "one chain, no fork"
    anchored = {edge.target for edge in edges if edge.label == "RECORDED"}
    assert {by_name[name] for name in names if name.startswith(("budget", "seen"))} <= anchored, "no half batch"
    goes_on = advance_encounter(desk, AGENT, AdvanceRequest("after", session=SessionRef(client="c", session_id="chat")))
    assert goes_on.session == rows[-1].get("handle", goes_on.session)
    with desk.store.read(AGENT) as view:
        key = ledger_id(resolve(view, AGENT, SessionRef(handle=goes_on.session), desk.clock.now()).id)
        ledger = Ledger.of(view.get((key,), (SYSTEM,)).get(key))
    told = {key: state for row in rows for key, state in row.get("delivered", {}).items()}
    assert told
    assert told.items() <= {key: state for key, (state, _) in ledger.told.items()}.items()
    desk.store.close()


def test_opening_a_store_writes_nothing_and_reads_no_text_anew(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite3"
    killed(store, 0, 0.3)
    open_store(store, REPO, Clock()).close()
    before = store.read_bytes()
    again = open_store(store, REPO, Clock())
    with again.read(AGENT) as view:
        assert view.text_candidates(("encounters",), ("repository",), ("budget",), limit=5).items
    again.close()
    assert store.read_bytes() == before
