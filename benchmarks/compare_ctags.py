"""Named declarations beside universal-ctags: `python benchmarks/compare_ctags.py [TREE...]` (needs `ctags`).

Without a TREE the three of `trees.py` and the fixture projects of all languages are compared. For each language it
counts declarations both know by (file, line, name), and those that only one does by the kind it gives them;
docs/languages.md says why each such kind differs. `--show KIND` prints examples of one kind of difference, such as
`ctags:python:variable`.
"""

import argparse
import json
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import trees
from remora.adapters.tree_sitter.parser import TreeSitterParser
from remora.adapters.walk import SourceTree
from remora.core.codegraph.packed import decode
from remora.core.codegraph.symbols import declarations

Place = tuple[str, int, str]
FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures" / "languages"
LANGUAGES = {
    "bash": "Sh",
    "c": "C",
    "c_sharp": "C#",
    "cpp": "C++",
    "go": "Go",
    "java": "Java",
    "javascript": "JavaScript",
    "kotlin": "Kotlin",
    "lua": "Lua",
    "php": "PHP",
    "python": "Python",
    "ruby": "Ruby",
    "rust": "Rust",
    "typescript": "TypeScript",
}
"""Ours -> theirs; ctags reads no Scala and no Swift."""
EXPLAINED = {
    "ctags": {
        "inside of functions": "local parameter tparam macroparam receiver label constant const variable var class",
        "imports and what they bring": "package packageName namespace module alias unknown using typedef function",
        "no declaration": "generator prototype implementation anonMember accessor object property field method",
    },
    "remora": {
        "not seen by ctags": "field variable constant method function enum struct type interface class",
    },
}
"""Whose, why, the kinds: each is told at length in docs/languages.md."""
TIMEOUT_SECONDS = 300


@dataclass
class Difference:
    """Of one language."""

    both: int = 0
    ours: Counter[str] = field(default_factory=Counter)
    ctags: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def own(tree: Path) -> dict[str, dict[Place, str]]:
    """Language -> place -> kind, of every named declaration in our graph."""
    parser = TreeSitterParser()
    sources = SourceTree(tree, lambda path: bool(parser.language(path)))
    paths = [path for path in sources.listing().files if parser.language(path) in LANGUAGES]
    jobs = ((number, parser.language(path), sources.read(path) or b"") for number, path in enumerate(paths))
    found: dict[str, dict[Place, str]] = defaultdict(dict)
    for number, data in parser.parse(jobs):
        facts, path = decode(data), paths[number]
        found[facts.language][(path, 0, "")] = "module"
        for row in declarations(facts, parser.rules(facts.language), path):
            if row.qualified and not row.name.startswith("<"):
                found[facts.language][(path, row.line, row.name)] = row.kind
    return found


def theirs(tree: Path, language: str, paths: list[str]) -> dict[Place, str]:
    """Place -> kind, of every tag ctags makes of the same files."""
    command = ["ctags", "--output-format=json", "--fields=+nKl", "--kinds-all=*", "--extras=-{anonymous}{qualified}"]
    command += [f"--language-force={LANGUAGES[language]}", "-L", "-", "-f", "-"]
    done = subprocess.run(
        command, cwd=tree, input="\n".join(paths), capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True
    )
    found = {}
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag":
            # Of a path (`Item:cost`, `M.draw`) the last word is the name.
            name = re.split("[.:]", tag["name"])[-1] if language == "lua" else tag["name"]
            found[(tag["path"], int(tag["line"]), name)] = tag.get("kind", "?")
    return found


def difference(tree: Path) -> dict[str, Difference]:
    """Language -> how the two lists of declarations differ."""
    result = {}
    for language, mine in sorted(own(tree).items()):
        paths = sorted({path for path, _, _ in mine})
        other = theirs(tree, language, paths)
        found = result[language] = Difference()
        for place, kind in mine.items():
            if not place[2]:
                continue
            if place in other:
                found.both += 1
            else:
                _note(found, found.ours, f"remora:{language}:{kind}", kind, place)
        for place, kind in other.items():
            if place not in mine:
                _note(found, found.ctags, f"ctags:{language}:{kind}", kind, place)
    return result


def unexplained(found: Difference) -> list[str]:
    """Kinds of differences that docs/languages.md does not know."""
    known = {side: {kind for kinds in why.values() for kind in kinds.split()} for side, why in EXPLAINED.items()}
    mine = [f"remora:{kind}" for kind in found.ours if kind not in known["remora"]]
    return mine + [f"ctags:{kind}" for kind in found.ctags if kind not in known["ctags"]]


def _note(found: Difference, counts: Counter[str], label: str, kind: str, place: Place) -> None:
    counts[kind] += 1
    found.examples[label].append("{}:{} {}".format(*place))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", nargs="*", type=Path)
    parser.add_argument("--show", default="")
    options = parser.parse_args()
    if shutil.which("ctags") is None:
        raise SystemExit("universal-ctags is not installed")
    named = {path.name: path for path in options.tree} or {**trees.fetched(), "fixtures": FIXTURES}
    results: dict[str, object] = {"benchmark": "ctags"}
    unknown = []
    for name, tree in named.items():
        for language, found in difference(tree).items():
            print(f"== {name}: {language}: both {found.both}")
            print(f"   only remora {dict(found.ours.most_common())}")
            print(f"   only ctags  {dict(found.ctags.most_common())}")
            unknown += [f"{name} {language} {kind}" for kind in unexplained(found)]
            for example in found.examples.get(options.show, ())[:40]:
                print(f"   {example}")
            results[f"{name} {language}"] = {"both": found.both, "remora": found.ours, "ctags": found.ctags}
    print(json.dumps({**results, "unexplained": unknown}))
    if unknown:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
