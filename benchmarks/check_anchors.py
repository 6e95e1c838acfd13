"""Whether the anchor line of every named declaration shows its name: `python benchmarks/check_anchors.py [TREE...]`.

Without a TREE the three of `trees.py` are fetched. Prints misses, counts by language and a JSON line; fails on a miss.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import trees
from remora.adapters.tree_sitter.parser import TreeSitterParser
from remora.adapters.walk import SourceTree

SHOWN = 20


def misses(tree: Path) -> tuple[Counter[str], list[tuple[str, str, int, str]]]:
    """Declarations by language, and (language, path, line, name) of those whose line does not show their name."""
    counts: Counter[str] = Counter()
    missed = []
    for language, path, line, name, text in anchors(tree):
        counts[language] += 1
        if not re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text):
            missed.append((language, path, line, name))
    return counts, missed


def anchors(tree: Path) -> Iterator[tuple[str, str, int, str, str]]:
    """(language, path, line, name, text of that line) of every named declaration of a tree."""
    parser = TreeSitterParser()
    sources = SourceTree(tree, lambda path: bool(parser.language(path)))
    for path in sources.listing().files:
        text = sources.read(path) or b""
        lines = text.decode("utf-8", "replace").split("\n")
        for span in parser.spans(path, text):
            shown = lines[span.start_line - 1] if span.start_line <= len(lines) else ""
            yield parser.language(path), path, span.start_line, span.label, shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", nargs="*", type=Path)
    options = parser.parse_args()
    results: dict[str, object] = {"benchmark": "anchors"}
    failed = 0
    for name, tree in ({path.name: path for path in options.tree} or trees.fetched()).items():
        counts, missed = misses(tree)
        failed += len(missed)
        for language, path, line, symbol in missed[:SHOWN]:
            print(f"miss  {language}  {path}:{line}  {symbol}")
        print(f"== {name}: {dict(sorted(counts.items()))}, misses {len(missed)}")
        results[name] = {"declarations": dict(sorted(counts.items())), "misses": len(missed)}
    print(json.dumps(results))
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
