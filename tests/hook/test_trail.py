"""What the hook writes is what `doctor` reads, and what a server writes is what the hook reads."""

import os
from pathlib import Path

from hook_processes import TOKEN, Loopback, run_hook
from remora.core.clients.hook_trail import JOURNAL_FILES, MARKS_FOLDER, RUN_FILE, mark_of, read_journal, run_file


def test_the_journal_is_counted_by_client_event_and_reason(project: Path) -> None:
    for _ in range(2):
        run_hook(project, event=b"")
    run_hook(project, ["--client", "codex", "--event", "Stop", "--odd"], event=b"{}")
    text = (project / ".remora" / JOURNAL_FILES[1]).read_text() + "torn li"
    trail = read_journal(text.splitlines())
    assert trail.skipped == (
        (("claude-code", "UserPromptSubmit", "no_event"), 2),
        (("codex", "Stop", "no_session_id"), 1),
    )
    assert trail.last.endswith("Z")
    assert trail.unreadable == 1
    assert read_journal([]).skipped == ()


def test_the_run_file_that_a_server_writes_is_understood(project: Path) -> None:
    server = Loopback(lambda connection: connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n"))
    path = project / ".remora" / RUN_FILE
    path.parent.mkdir()
    path.touch(0o600)
    path.write_bytes(run_file(server.port, TOKEN, os.getpid(), deadline_ms=8000))
    run_hook(project)
    server.stop()
    assert TOKEN.encode() in server.heard[0]
    assert [mark_of(name) for name in os.listdir(project / ".remora" / MARKS_FOLDER)] == [
        ("claude-code", "UserPromptSubmit")
    ]
