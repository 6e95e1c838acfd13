"""The search over notes alone: does it find the turns of a dialogue that a question rests on?

Run: `PYTHONPATH=tests python benchmarks/bench_dialogue.py FOLDER [questions] [--words]`. FOLDER holds LoCoMo's
dialogues as JSON files; whoever measures fetches them, they are no part of this repository. Each turn is one note
of one store; counted is the share of a question's evidence among the first ten notes. Every n-th question is asked.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench_encounters import GRANT, Bag, WallClock
from remora.adapters.local_embedder.model import LocalEmbedder
from remora.adapters.sqlite.store import open_store
from remora.core.sessions import SessionRef
from remora.ports import Repository
from remora.usecases.advance_encounter import AdvanceRequest, advance_encounter
from remora.usecases.create_entities import create_entities
from remora.usecases.index_memory import IndexMemoryRequest, index_memory
from remora.usecases.search_encounters import search_encounters

FIRST = 10
BATCH = 200


def read(folder: Path) -> tuple[list[dict[str, str]], list[tuple[str, list[str]]]]:
    """Notes, and questions with the names of the notes that they rest on."""
    notes, questions = [], []
    for path in sorted(folder.glob("*.json")):
        talk: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for key, turns in talk.items():
            if key.startswith("session_") and isinstance(turns, list):
                for turn in turns:
                    name = f"{path.stem}/{turn['dia_id']}"
                    notes.append({"type": "Note", "name": name, "description": f"{turn['speaker']}: {turn['text']}"})
        names = {note["name"] for note in notes}
        for row in talk["qa"]:
            wanted = [name for key in row.get("evidence", []) if (name := f"{path.stem}/{key}") in names]
            if wanted and row.get("category") != 5:  # the fifth kind has no answer
                questions.append((str(row["question"]), wanted))
    return notes, questions


def recall(bag: Bag, questions: list[tuple[str, list[str]]]) -> float:
    total = 0.0
    for text, wanted in questions:
        found = [row["name"] for row in search_encounters(bag, GRANT, text, limit=FIRST).entities]
        total += sum(name in found for name in wanted) / len(wanted)
    return round(total / len(questions), 3)


def main() -> None:
    options = [arg for arg in sys.argv[1:] if not arg.startswith("--")]
    if not options:
        print("not measured: name the folder of dialogues")
        return
    notes, questions = read(Path(options[0]))
    most = int(options[1]) if len(options) > 1 else len(questions)
    asked = questions[:: max(1, len(questions) // most)]
    figures: dict[str, float] = {"notes": len(notes), "questions": len(asked)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite3"
        bag = Bag(open_store(path, Repository("talk", "r_talk"), WallClock()), WallClock(), path.parent)
        ref = SessionRef(handle=advance_encounter(bag, GRANT, AdvanceRequest("talk")).session)
        for start in range(0, len(notes), BATCH):
            create_entities(bag, GRANT, notes[start : start + BATCH], ref)
        figures["words"] = recall(bag, asked)
        print(f"evidence recall@{FIRST}, words alone      {figures['words']:.3f}")
        if "--words" not in sys.argv:
            bag.embedder = LocalEmbedder()
            index_memory(bag, GRANT, IndexMemoryRequest())
            figures["embedder"] = recall(bag, asked)
            print(f"evidence recall@{FIRST}, with the embedder {figures['embedder']:.3f}")
        bag.store.close()
    print(json.dumps({"benchmark": "dialogue", **figures}))


if __name__ == "__main__":
    main()
