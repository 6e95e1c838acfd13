"""Write, refresh or remove the memory rules in a project's AGENTS.md and, where present, CLAUDE.md and GEMINI.md."""

from dataclasses import dataclass
from typing import Literal

from remora.core.clients.agents_md import INSTRUCTION_FILES, install_rules, uninstall_rules
from remora.core.errors import InvalidInput
from remora.ports import ProjectFiles

RulesOutcome = Literal["created", "changed", "unchanged", "removed"]


@dataclass(frozen=True, slots=True)
class RulesChange:
    """What happened to one instruction file."""

    path: str
    outcome: RulesOutcome


def write_agents_md(files: ProjectFiles, *, remove: bool = False, dry_run: bool = False) -> tuple[RulesChange, ...]:
    """Every instruction file that is concerned, in order. Raises `InvalidInput` with all of them as they were."""
    planned = []
    for path in INSTRUCTION_FILES:
        raw = files.read(path)
        if raw is None and (remove or path != INSTRUCTION_FILES[0]):
            continue
        planned.append((path, raw, _rewritten(path, raw, remove=remove)))
    changes = []
    for path, raw, after in planned:
        if not dry_run and after is None:
            files.remove(path)
        elif not dry_run and after is not None and after != raw:
            files.write(path, after)
        outcome: RulesOutcome = (
            "unchanged" if after == raw else "removed" if remove else "created" if raw is None else "changed"
        )
        changes.append(RulesChange(path, outcome))
    return tuple(changes)


def _rewritten(path: str, raw: bytes | None, *, remove: bool) -> bytes | None:
    if raw is not None and b"\0" in raw:
        raise InvalidInput(path, "not a text in UTF-8 or a code page like it; nothing was changed", allowed="UTF-8")
    text = None if raw is None else raw.decode("utf-8", "surrogateescape")
    try:
        after = uninstall_rules(text) if remove and text is not None else install_rules(text)
    except InvalidInput as error:
        raise InvalidInput(path, f"{error.problem}; nothing was changed", allowed=error.allowed) from error
    return None if after is None else after.encode("utf-8", "surrogateescape")
