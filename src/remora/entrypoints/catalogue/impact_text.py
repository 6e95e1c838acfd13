"""The impact of a change as text: risk and memory first, then what changes, what it reaches and what to run."""

from collections.abc import Sequence

from remora.entrypoints.catalogue.code_text import Data, memory, relation, state
from remora.entrypoints.render import enclosed

_FILES_SHOWN = 40


def impact(data: Data, evidence: Sequence[str]) -> str:
    """The whole answer, bounded like every other."""
    totals = data["totals"]
    lines = [f"risk: {data['risk']['level']}", *(f"  {reason}" for reason in data["risk"]["reasons"])]
    lines += memory(evidence)
    lines.append(f"changed: {totals['files']} files, {totals['symbols']} symbols")
    lines += [f"  {_file(file)}" for file in data["files"][:_FILES_SHOWN]]
    lines += [f"  {row['change']} {row['id']} ({row['file']}:{row['line']})" for row in data["symbols"]]
    lines += [
        f"  could not be resolved any more: {row['name']} ({row['file']}:{row['line']})" for row in data["dangling"]
    ]
    hops = ", ".join(f"{count} at hop {hop}" for hop, count in data["by_hop"].items())
    lines.append(f"affected: {totals['affected']} symbols" + (f" ({hops})" if hops else ""))
    lines += [relation(row, f"hop {row['hops']}") for row in data["affected"]]
    lines.append(f"tests to run: {totals['tests']}")
    lines += [f"  {row['id']} ({row['file']})" for row in data["tests"]]
    lines += [f"reaches {part['label']} [{part['id']}]: {part['symbols']} symbols" for part in data["communities"]]
    for partner in data["partners"]:
        share = f"{partner['count']} of {partner['of']} commits"
        lines.append(f"usually changes with {partner['path']}: {partner['partner']} ({share})")
    lines += _unknown(data)
    return enclosed([*lines, *state(data)])


def _file(file: Data) -> str:
    return (
        f"{file['change']} {file['old_path']} -> {file['path']}"
        if file["old_path"]
        else f"{file['change']} {file['path']}"
    )


def _unknown(data: Data) -> list[str]:
    totals, lines = data["totals"], []
    if totals["unparsed_files"]:
        lines.append(f"{totals['unparsed_files']} changed files are no source that we can parse")
    if totals["symbols_not_in_graph"]:
        lines.append(f"{totals['symbols_not_in_graph']} changed symbols are not in the code as it is now")
    if not data["communities_known"]:
        lines.append("parts of the code are not known yet; `get_community` finds them")
    return lines


def communities(data: Data) -> str:
    """Parts of the code with their files and central symbols."""
    lines = [f"{data['total']} parts, and {data['small']} too small to have a name"]
    for part in data["parts"]:
        lines.append(f"{part['label']} [{part['id']}]: {part['symbols']} symbols in {part['total_files']} files")
        lines.append(f"  files: {', '.join(part['files'])}")
        lines.append(f"  central: {', '.join(part['central'])}")
        lines += [f"  {member}" for member in part["members"]]
    return enclosed([*lines, *state(data)])
