"""Facts from transcripts by rules alone: how many of what was settled is kept, and what of the mentioned slips in.

python benchmarks/bench_extraction.py
"""

import json
import time
from collections.abc import Iterable
from pathlib import Path

from remora.core.clients.turns import Turn
from remora.core.extraction.rules import rule_triples

SETS = Path(__file__).parent / "open_sets" / "extraction" / "chats.json"


def main() -> None:
    """Print a table a conversation, and one JSON line."""
    started = time.process_time()
    kept = wrong = total = traps = found = 0
    for chat in json.loads(SETS.read_text(encoding="utf-8")):
        triples = rule_triples([Turn(role, content) for role, content in chat["turns"]])
        said = [f"{t.subject} {t.predicate} {t.object}".lower() for t in triples]
        hits = [row for row in chat["facts"] if _any(said, row)]
        slips = [row for row in chat["traps"] if _any(said, row)]
        print(f"{chat['name']}: {len(hits)} of {len(chat['facts'])} kept, {len(slips)} of {len(chat['traps'])} traps")
        for row in chat["facts"]:
            if row not in hits:
                print("   missed", row)
        for row in slips:
            print("   SLIPPED IN", row)
        kept, total, found = kept + len(hits), total + len(chat["facts"]), found + len(triples)
        wrong, traps = wrong + len(slips), traps + len(chat["traps"])
    seconds = round(time.process_time() - started, 3)
    row = {"kept": round(kept / total, 3), "facts": total, "wrong": wrong, "traps": traps, "triples": found}
    print(json.dumps(row | {"cpu_seconds": seconds}))


def _any(said: Iterable[str], parts: list[str]) -> bool:
    """Whether one triple holds all the parts."""
    return any(all(part.lower() in text for part in parts) for text in said)


if __name__ == "__main__":
    main()
