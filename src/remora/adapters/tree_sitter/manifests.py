"""Files that decide what module names mean (package.json, go.mod, Cargo.toml and their like), read into one form."""

import json
import re
import tomllib
from typing import Any

from remora.core.codegraph.facts import FileFacts, Scope

MANIFEST = "manifest"
"""The language such files count as."""
VERSION = "1"
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)


def read_manifest(text: bytes) -> FileFacts:
    """Facts that hold the content as JSON in their only constant; what cannot be read is an empty one."""
    facts = FileFacts(MANIFEST, [Scope("module", "", "", -1, 1, max(1, text.count(b"\n")))], [("?",)])
    try:
        content = _content(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        facts.problem = f"unreadable: {type(error).__name__}"
        content = {}
    facts.expressions.append(("k", MANIFEST, json.dumps(content, default=str)))
    facts.lines = text.count(b"\n")
    return facts


def _content(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        found = json.loads(_COMMENT.sub(lambda match: match.group(1) or "", text))
        return found if isinstance(found, dict) else {}
    module = _MODULE.search(text)
    return {"module": module.group(1)} if module else tomllib.loads(text)
