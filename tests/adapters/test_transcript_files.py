"""Transcripts are opened where the cursor says, in bounded memory, and only when they are files of this user."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from remora.adapters.transcript_files import TranscriptFiles
from remora.core.clients.transcript import read_turns
from remora.core.clients.turns import Cursor, Older, older_turns
from remora.core.errors import Unavailable


def line(index: int, role: str = "user") -> bytes:
    return (
        json.dumps(
            {"type": role, "message": {"role": role, "content": f"{role} {index}"}, "uuid": f"{role}{index}"}
        ).encode()
        + b"\n"
    )


def offload(path: Path, cursor: Cursor) -> tuple[Older, Cursor]:
    opened = TranscriptFiles().open(str(path), cursor)
    turns = read_turns(opened.chunks, "claude-code", Counter(), start=opened.start, torn=opened.torn)
    older = older_turns(turns, cursor)
    return older, Cursor(older.offset, opened.anchor(older.offset), older.seen)


def test_an_appended_transcript_is_read_on_and_a_rewritten_one_again(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [line(index, role) for index in range(12) for role in ("user", "assistant")]
    path.write_bytes(b"".join(lines))
    older, cursor = offload(path, Cursor())
    assert [turn.content for turn in older.turns] == ["user 0", "assistant 0", "user 1", "assistant 1"]
    with path.open("ab") as file:
        file.write(line(12) + line(13))
    older, cursor = offload(path, cursor)
    assert [turn.content for turn in older.turns] == ["user 2", "assistant 2", "user 3", "assistant 3"]
    path.write_bytes(b'{"type": "summary"}\n' + path.read_bytes() + line(14))
    older, cursor = offload(path, cursor)
    assert [turn.content for turn in older.turns] == ["user 4", "assistant 4"]
    path.write_bytes(b"")
    assert offload(path, cursor)[0].turns == ()


def test_what_is_no_file_of_ours_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "none", tmp_path, tmp_path / "pipe", Path("/dev/zero"), Path("a\0b")):
        with pytest.raises(Unavailable):
            TranscriptFiles().open(str(path), Cursor())


def test_the_end_of_a_transcript_is_read_whole_or_from_the_middle_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(line(1) + line(2))
    whole = TranscriptFiles().tail(str(path), 10_000)
    assert (b"".join(whole.chunks), whole.start, whole.torn) == (line(1) + line(2), 0, False)
    end = TranscriptFiles().tail(str(path), 20)
    assert (b"".join(end.chunks), end.torn) == (line(2)[-20:], True)
    assert end.start == end.left_out == len(line(1) + line(2)) - 20
    for other in (tmp_path / "none", tmp_path, Path("/dev/zero"), Path("a\0b")):
        with pytest.raises(Unavailable):
            TranscriptFiles().tail(str(other), 20)


MEASURE = """
import sys, time
from collections import Counter
from remora.adapters.transcript_files import TranscriptFiles
from remora.core.clients.transcript import read_turns
from remora.core.clients.turns import Cursor, older_turns
opened = TranscriptFiles().open(sys.argv[1], Cursor())
older = older_turns(read_turns(opened.chunks, "claude-code", Counter(), start=opened.start, torn=opened.torn), Cursor())
assert older.turns
status = open("/proc/self/status").read()  # ru_maxrss would count what the parent held before this program began
used = int(status.partition("VmHWM:")[2].split()[0]) // 1024
print(used, time.process_time(), opened.left_out)
"""


@pytest.mark.parametrize("megabytes", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_a_huge_transcript_takes_little_memory_and_time(tmp_path: Path, megabytes: int) -> None:
    path = tmp_path / "big.jsonl"
    noise = (
        json.dumps(
            {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "y" * 60_000}]}}
        ).encode()
        + b"\n"
    )
    block = (
        b"".join(line(index, role) + line(index, "assistant") * 3 for index in range(200) for role in ("user",))
        + noise * 12
    )
    with path.open("wb") as file:
        while file.tell() < megabytes << 20:
            file.write(block)
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True, timeout=60
    )
    megabytes_used, seconds, left_out = map(float, ran.stdout.split())
    assert megabytes_used < 100
    assert seconds < 2
    assert left_out > 0
