"""Reads the transcripts that clients keep, as a stream of bytes in bounded memory; what it steps over is counted."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from remora.core.clients.turns import Role, Turn, make_turn
from remora.core.policy import TRANSCRIPT_DOCUMENT_MAX_BYTES, TRANSCRIPT_LINE_MAX_BYTES

Json = Mapping[str, object]
Said = tuple[Role, str, str]
"""(role, text, the client's own name of the turn)."""

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_NOT_SAID = re.compile(
    r"(?:<(?:command-(?:name|message|args)|local-command-|bash-(?:input|stdout)|task-notification|environment_context|"
    r"user_instructions|turn_aborted|INSTRUCTIONS)|\[Request interrupted by user|# AGENTS\.md instructions)"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
_ROLES: Mapping[object, Role] = {"user": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant"}
_MARKS = (b'"role"', b'"user"', b'"user.', b'"assistant.', b'"gemini"', b'"model"')


def read_turns(
    chunks: Iterable[bytes], client: str, skipped: Counter[str], *, start: int = 0, torn: bool = False
) -> Iterator[Turn]:
    """Turns of a transcript whose bytes from `start` on come in chunks; `torn`: they begin in the middle of a line.

    Lines that are not turns are counted in `skipped` by reason: bad, too_long, tool_result, sidechain, meta, other,
    empty; cut characters as `cut_chars`. Nothing in a transcript is an error.
    """
    say = _READERS.get(client, _plain)
    for line, end in _lines(chunks, start, skipped, torn=torn):
        row = _row(line, skipped)
        if row is None:
            continue
        inner = row.get("messages")
        rows = inner if isinstance(inner, list) else [row]
        for item in rows:
            turn = _turn(say, item, end, skipped)
            if turn is not None:
                yield turn


def _turn(say: "Reader", row: object, end: int, skipped: Counter[str]) -> Turn | None:
    said = say(row) if isinstance(row, Mapping) else "other"
    if isinstance(said, str):
        skipped[said] += 1
        return None
    role, text, name = said
    if "\0" in text or not text.isascii():
        text = _SURROGATE.sub("\ufffd", text.replace("\0", ""))
    if role == "user":
        text = _REMINDER.sub("", text) if "</system-reminder>" in text else text
    text = text.strip()
    if not text or (text.startswith(("<", "[", "#")) and _NOT_SAID.match(text)):
        skipped["meta" if text else "empty"] += 1
        return None
    turn = make_turn(role, text, name=name, end=end)
    if turn.cut:
        skipped["cut_chars"] += turn.cut
    return turn


def _lines(chunks: Iterable[bytes], start: int, skipped: Counter[str], *, torn: bool) -> Iterator[tuple[bytes, int]]:
    """Whole lines with the offset after each; a document that is one object over many lines comes as one line."""
    at, held, size, dropping = start, [], 0, torn  # type: ignore[var-annotated]
    whole = False
    for chunk in chunks:
        if at == start and start == 0 and not torn:
            whole = _is_document(chunk)
        pieces = [chunk] if whole else chunk.split(b"\n")
        for index, piece in enumerate(pieces):
            ended = index < len(pieces) - 1
            at += len(piece) + ended
            size += len(piece)
            if size > (TRANSCRIPT_DOCUMENT_MAX_BYTES if whole else TRANSCRIPT_LINE_MAX_BYTES):
                held.clear()
                skipped["too_long"] += not dropping
                dropping = True
            if not dropping:
                held.append(piece)
            if ended:
                if not dropping:
                    yield b"".join(held), at
                held.clear()
                size, dropping = 0, False
    if held:
        yield b"".join(held), at


def _is_document(first: bytes) -> bool:
    """Gemini keeps one indented JSON object; everybody else one object a line."""
    return bool(re.match(rb"(?:\xef\xbb\xbf)?\s*\{\s*\n\s+\"", first[:64]))


def _row(line: bytes, skipped: Counter[str]) -> Json | None:
    line = line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\0")
    if not line:
        return None
    if not any(mark in line for mark in _MARKS):
        skipped["other"] += 1
        return None
    if b'"tool_result"' in line and b'"text"' not in line:
        skipped["tool_result"] += 1
        return None
    try:
        row = json.loads(line.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        skipped["bad"] += 1
        return None
    if not isinstance(row, dict):
        skipped["bad"] += 1
        return None
    return row


def _claude(row: Json) -> Said | str:
    if row.get("isSidechain") is True:
        return "sidechain"
    if any(row.get(flag) is True for flag in ("isMeta", "isCompactSummary", "isApiErrorMessage")):
        return "meta"
    message = row.get("message")
    if row.get("type") not in ("user", "assistant") or not isinstance(message, Mapping):
        return "other"
    return _spoken(message, _name(row, "uuid"))


def _codex(row: Json) -> Said | str:
    payload = row.get("payload") if row.get("type") == "response_item" else row
    if not isinstance(payload, Mapping) or payload.get("type") != "message":
        return "other"
    return _spoken(payload, _name(payload, "id"))


def _gemini(row: Json) -> Said | str:
    return _spoken(
        {"role": row.get("type", row.get("role")), "content": row.get("content", row.get("parts"))}, _name(row, "id")
    )


def _cursor(row: Json) -> Said | str:
    message = row.get("message")
    return _spoken({**message, "role": row.get("role")} if isinstance(message, Mapping) else row, _name(row, "id"))


def _copilot(row: Json) -> Said | str:
    kind, data = row.get("type"), row.get("data")
    if isinstance(data, Mapping) and kind in ("user.message", "assistant.message"):
        content = data.get("content") or data.get("message")
        return _spoken({"role": str(kind).partition(".")[0], "content": content}, _name(row, "id"))
    return "other" if isinstance(data, Mapping) else _plain(row)


def _plain(row: Json) -> Said | str:
    message = row.get("message")
    return _spoken(message if isinstance(message, Mapping) else row, _name(row, "id"))


def _spoken(message: Json, name: str) -> Said | str:
    role = _ROLES.get(message.get("role")) if isinstance(message.get("role"), str) else None
    if role is None:
        return "other"
    content = message.get("content")
    if isinstance(content, str):
        return role, content, name
    blocks = content if isinstance(content, list) else []
    texts = [text for block in blocks if (text := _block_text(block))]
    if texts:
        return role, "\n".join(texts), name
    kinds = {block.get("type") for block in blocks if isinstance(block, Mapping)}
    return "tool_result" if kinds & {"tool_result", "tool_use"} else "empty"


def _block_text(block: object) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping) or block.get("type", "text") not in _TEXT_BLOCKS or block.get("thought"):
        return ""
    text = block.get("text")
    return text if isinstance(text, str) else ""


def _name(row: Json, key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


Reader = Callable[[Json], Said | str]
_READERS: Mapping[str, Reader] = {
    "claude-code": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "cursor": _cursor,
    "copilot": _copilot,
    "opencode": _plain,
}
