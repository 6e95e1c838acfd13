"""Reads a document of decisions or procedures: its title, first prose, status, date and the symbols it grounds on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from remora.core.clients.marked_block import MARKDOWN, cut_block
from remora.core.errors import InvalidInput
from remora.core.ids import digest
from remora.core.policy import DOCUMENT_SUMMARY_MAX_CHARS, DOCUMENT_SYMBOLS_MAX, DOCUMENT_TITLE_MAX_CHARS
from remora.core.text import clean

_FRONT_MATTER = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"^([A-Za-z][\w -]{0,40}):[ \t]*(.*)$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(.+)$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ATX = re.compile(r"^ {0,3}(?:#{1,6}|={1,6})[ \t]+(.+?)[ \t]*[#=]*[ \t]*$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,}|~{2,}|\^{2,}|\*{3,})[ \t]*$")
_SYMBOLS = re.compile(r"^[>*_\s-]*(?:remora|synaptic)-symbols[*_]*:[*_]*[ \t]*(.+)$", re.IGNORECASE)
_FIELD = re.compile(
    r"^[*_\s:-]*(status|date|deciders|decision-makers|consulted|informed|authors?|tags|ticket|technical story)[*_ ]*:"
    r"[*_]*[ \t]*(.*)$",
    re.IGNORECASE,
)
_NO_PROSE = re.compile(r"^(?:[|!>]|\[!\[|<[a-zA-Z/!]|\.\. |:[\w-]+:|\[[^\]]*\]:|[-*_ ]{3,}$|\[TOC\]|#|={3,}|-{3,})")
_LIST = re.compile(r"^(?:[-*+]|\d{1,3}[.)])[ \t]+")
_INLINE = re.compile(
    r"!\[[^\[\]]{0,500}\]\([^()]{0,2000}\)|\[([^\[\]]{0,500})\](?:\([^()]{0,2000}\)|\[[^\[\]]{0,200}\])"
)
_EMPHASIS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`")
_STATUS_SECTION = re.compile(r"(?:\d+[.)]?\s*)?status", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Document:
    """What one document says. `digest` is the BLAKE3 of its bytes as git keeps them: LF line ends, no byte order mark,
    without our own marked block; so a checkout with CRLF, or our block coming and going, is no change.

    `status` is in lower case, "" when none is stated; `date` is the stated one in Unix seconds, 0 when none.
    """

    title: str
    summary: str
    digest: str
    status: str = ""
    date: int = 0
    symbols: tuple[str, ...] = ()


def read_document(path: str, data: bytes) -> Document | None:
    """The document in a file's bytes; None when nothing but our own block is in it, or when it is no text."""
    text = _text(data)
    if text is None or not text.strip():
        return None
    content = digest(text.encode("utf-8", "surrogateescape"))
    front, body = _front_matter(clean(text))
    lines = list(_visible(body))
    title, at = _title(lines)
    status = front.get("status", "") or _status(lines)
    symbols = [*_split(front.get("remora-symbols", "") or front.get("synaptic-symbols", "")), *_symbols(lines)]
    return Document(
        title=_capped(title or front.get("title", "") or _from_name(path), DOCUMENT_TITLE_MAX_CHARS),
        summary=_capped(_summary(lines[at:]) or front.get("description", ""), DOCUMENT_SUMMARY_MAX_CHARS),
        digest=content,
        status=_plain(status).lower()[:DOCUMENT_TITLE_MAX_CHARS],
        date=_date(front.get("date", "") or _field(lines, "date")),
        symbols=tuple(dict.fromkeys(symbols))[:DOCUMENT_SYMBOLS_MAX],
    )


def _text(data: bytes) -> str | None:
    if b"\0" in data[:8_000]:
        return None
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    try:
        return cut_block(text, MARKDOWN)
    except InvalidInput:  # torn markers: what is ours cannot be told from what is not
        return text


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """Simple `key: value` lines and lists of the YAML head (keys in lower case), and the text after it."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    found: dict[str, str] = {}
    key = ""
    for line in (match[1] or "").split("\n"):
        if entry := _ENTRY.match(line):
            key = entry[1].lower()
            found[key] = entry[2].strip().strip("\"'")
        elif key and (item := _ITEM.match(line)):
            found[key] = ", ".join(part for part in (found[key], item[1].strip().strip("\"'")) if part)
    return found, text[match.end() :]


def _visible(body: str) -> Iterator[str]:
    """Lines outside comments; lines of code blocks are left empty."""
    fence = ""
    for line in _COMMENT.sub("", body).split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            yield ""
        elif mark:
            fence = mark[1]
            yield ""
        else:
            yield line


def _title(lines: list[str]) -> tuple[str, int]:
    """The first heading and the number of the line after it."""
    for number, line in enumerate(lines):
        if match := _ATX.match(line):
            return _plain(match[1]), number + 1
        if number and _is_underline(lines[number - 1], line):
            return _plain(lines[number - 1]), number + 1
    return "", 0


def _is_underline(above: str, line: str) -> bool:
    text = above.strip()
    return bool(text) and bool(_UNDERLINE.match(line)) and not _NO_PROSE.match(text) and not _LIST.match(text)


def _heading_at(lines: list[str], number: int) -> str:
    """The heading that the line is, "" when it is none."""
    if match := _ATX.match(lines[number]):
        return _plain(match[1])
    below = lines[number + 1] if number + 1 < len(lines) else ""
    return _plain(lines[number]) if _is_underline(lines[number], below) else ""


def _status(lines: list[str]) -> str:
    """The value of a `Status:` line, else the first line under a Status heading."""
    if stated := _field(lines, "status"):
        return stated
    inside = False
    for number, line in enumerate(lines):
        if heading := _heading_at(lines, number):
            inside = bool(_STATUS_SECTION.fullmatch(heading))
        elif inside and line.strip() and not _UNDERLINE.match(line):
            return _LIST.sub("", line.strip())
    return ""


def _field(lines: list[str], name: str) -> str:
    for line in lines:
        match = _FIELD.match(line)
        if match and match[1].lower() == name and match[2].strip():
            return match[2].strip()
    return ""


def _symbols(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if match := _SYMBOLS.match(line):
            yield from _split(match[1])


def _split(names: str) -> Iterator[str]:
    for name in names.strip("[]").split(","):
        plain = name.strip().strip("`*_\"'").strip()
        if plain:
            yield plain


def _summary(lines: list[str]) -> str:
    """The first paragraph of prose; the first list when there is no prose."""
    listed = ""
    section = ""
    paragraph: list[str] = []
    for number, line in enumerate([*lines, ""]):
        text = line.strip()
        heading = _heading_at(lines, number) if number < len(lines) else ""
        if text and not heading and not _skipped(line):
            paragraph.append(text)
            continue
        if paragraph and not _STATUS_SECTION.fullmatch(section):
            prose = _plain(" ".join(paragraph))
            if not _LIST.match(paragraph[0]) and prose:
                return prose
            listed = listed or _plain(" ".join(_LIST.sub("", item) for item in paragraph))
        paragraph = []
        section = heading or section
    return listed


def _skipped(line: str) -> bool:
    """Lines that are no prose: markup, tables, images, fields, grounding lines, indented code."""
    text = line.strip()
    indented_code = line.startswith("    ") and not _LIST.match(text)
    return indented_code or bool(_NO_PROSE.match(text) or _SYMBOLS.match(text) or _FIELD.match(text))


def _plain(text: str) -> str:
    """Without link targets, images and emphasis marks, in one line; only as much of it as can be kept is looked at."""
    text = text[: 4 * DOCUMENT_SUMMARY_MAX_CHARS]
    text = _INLINE.sub(lambda match: match[1] or "", text)
    return " ".join(_EMPHASIS.sub("", text).split())


def _from_name(path: str) -> str:
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return " ".join(re.split(r"[-_\s]+", stem)).strip() or path


def _capped(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _date(text: str) -> int:
    match = _DATE.search(text)
    if not match:
        return 0
    try:
        return int(datetime.fromisoformat(match[0]).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0
