"""Writes docs/reference.md from the catalogue and the command line, so that the page cannot differ from the product."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from remora.entrypoints.catalogue.listing import OPERATIONS, PROFILES
from remora.entrypoints.catalogue.operation import Operation


def reference() -> str:
    """The whole page."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# Reference of operations\n"
    yield "Generated from the catalogue by `make docs`. The same operations are MCP tools and, where a route is named,"
    yield "HTTP routes under `/api/v1/repos/{repo}`.\n"
    yield f"Profiles: {', '.join(f'`{name}`' for name in PROFILES)}; several may be combined, `core` is the default.\n"
    for operation in OPERATIONS:
        yield from _operation(operation)


def _operation(operation: Operation) -> Iterator[str]:
    yield f"## {operation.name}\n"
    yield f"{operation.description}\n"
    marks = ["reads only" if operation.read_only else "writes"]
    marks += ["needs `--allow-memory-write`"] if operation.gated else []
    marks += [f"profiles {', '.join(sorted(operation.profiles))}"]
    yield f"{'; '.join(marks)}.\n"
    yield "| argument | type | default | meaning |"
    yield "|---|---|---|---|"
    required = operation.input.get("required", ())
    for name, schema in operation.input["properties"].items():
        default = f"`{schema['default']!r}`" if "default" in schema else ("required" if name in required else "")
        yield f"| {name} | {_type(schema)} | {default} | {schema.get('description', '')} |"
    yield ""


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " \\| ".join(str(value) for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {_type(schema['items'])}"
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['type']} {schema['minimum']} to {schema['maximum']}"
    return str(schema["type"])


if __name__ == "__main__":
    sys.stdout.write(reference())
