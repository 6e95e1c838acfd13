"""One block of ours inside a text that others own, between two marker lines; taking it out restores the text."""

import re
from dataclasses import dataclass

from remora.core.errors import InvalidInput

_LINE_END_ADDED = " (line end added)"
_FILE_ADDED = " (file added)"


@dataclass(frozen=True, slots=True)
class Markers:
    """How a marker line is written: `opening word closing`, with a note of what was added besides the block."""

    opening: str
    begin: str
    end: str
    closing: str

    def pattern(self) -> re.Pattern[str]:
        """A whole block: marker lines included, the line end after it left out. Group 1 is the note, 2 the body."""
        head = re.escape(self.opening + self.begin) + r"((?: \([a-z ]+\))?)" + re.escape(self.closing)
        tail = re.escape(self.opening + self.end + self.closing)
        return re.compile(rf"^{head}\r?\n(.*?)^{tail}(?=\r?\n|\Z)", re.MULTILINE | re.DOTALL)

    def lines(self) -> re.Pattern[str]:
        """Any marker line, whole or not."""
        return re.compile(rf"^{re.escape(self.opening)}(?:{re.escape(self.begin)}|{re.escape(self.end)})", re.MULTILINE)


MARKDOWN = Markers("<!-- ", "remora:begin", "remora:end", " -->")
HASH = Markers("# ", ">>> remora >>>", "<<< remora <<<", "")


def find_block(text: str, markers: Markers) -> re.Match[str] | None:
    """The block in the text, None when there is none. Raises `InvalidInput` when markers are torn or stand twice."""
    found = list(markers.pattern().finditer(text))
    if len(markers.lines().findall(text)) != 2 * len(found) or len(found) > 1:
        raise InvalidInput("file", "the marker lines of remora's block are torn or doubled", allowed="one whole block")
    return found[0] if found else None


def put_block(text: str | None, markers: Markers, body: str, *, gap: bool = True, first_line: str = "") -> str:
    """The text with the block appended, or refreshed where it stands. `text` None: there is no file yet.

    `body` has `\\n` line ends and ends with one; the file's own line ends are used. `gap` puts an empty line before the
    block. `first_line` (a shebang) opens a new file. A block that already says this leaves the text as it is.
    """
    newline = _newline(text or "")
    found = find_block(text, markers) if text is not None else None
    if text is not None and found is not None:
        if found.group(2).replace("\r\n", "\n") == body:
            return text
        return text[: found.start(2)] + body.replace("\n", newline) + text[found.end(2) :]
    note, before = "", ""
    if text is None:
        note, before = _FILE_ADDED, first_line
    elif text and not text.endswith("\n"):
        note, before = _LINE_END_ADDED, newline
    before += newline if gap and text else ""
    head = markers.opening + markers.begin + note + markers.closing
    tail = markers.opening + markers.end + markers.closing
    return (text or "") + before + head + newline + body.replace("\n", newline) + tail + newline


def cut_block(text: str, markers: Markers, *, gap: bool = True, first_line: str = "") -> str | None:
    """The text without the block and what was added around it. None: the file was ours alone and is to be removed."""
    found = find_block(text, markers)
    if found is None:
        return text
    newline = "\r\n" if "\r\n" in found.group() else "\n"
    before, after = text[: found.start()], text[found.end() :].removeprefix(newline)
    if found.group(1) == _FILE_ADDED:
        return before + after if (before.removeprefix(first_line) + after).strip() else None
    if gap and before.removesuffix(newline).endswith("\n"):
        before = before.removesuffix(newline)
    if found.group(1) == _LINE_END_ADDED and not after:
        before = before.removesuffix(newline)
    return before + after


def _newline(text: str) -> str:
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"
