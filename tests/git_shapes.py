"""Real git repositories of odd shapes, made quickly (mostly with fast-import), for every test that reads git."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ENVIRON: Mapping[str, str] = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "HOME": os.devnull,
}
"""The environment that tests hand to the git adapter: this machine's git settings have no say."""

_IDENT = {
    "GIT_AUTHOR_NAME": "Ada Byte",
    "GIT_AUTHOR_EMAIL": "ada@example.test",
    "GIT_COMMITTER_NAME": "Ada Byte",
    "GIT_COMMITTER_EMAIL": "ada@example.test",
}
EPOCH = 1_600_000_000
"""Time of the first commit of every shape; each further commit is a minute later."""


def git(folder: Path, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> str:
    """Run the real git as a user would; its answer without the final newline."""
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *args],
        cwd=folder,
        env={**ENVIRON, **_IDENT, **(environ or {})},
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"git {args}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def quoted(path: bytes) -> bytes:
    """A path in fast-import's C style."""
    plain = b"".join(bytes([c]) if 0x20 <= c < 0x7F and c not in b'"\\' else b"\\%03o" % c for c in path)
    return b'"' + plain + b'"'


@dataclass
class History:
    """A stream of commits for fast-import. `files` maps a path to its content, or to None for a deletion."""

    stream: list[bytes] = field(default_factory=list)
    marks: int = 0

    def commit(
        self,
        message: str | bytes,
        files: Mapping[str | bytes, bytes | None] | None = None,
        *,
        branch: str = "main",
        parents: Sequence[int] | None = None,
        encoding: str = "",
        mode: bytes = b"100644",
    ) -> int:
        """Add one commit and return its mark. `parents=()` starts a branch anew."""
        self.marks += 1
        text = message.encode() if isinstance(message, str) else message
        ident = b"Ada Byte <ada@example.test> %d +0000" % (EPOCH + 60 * self.marks)
        ref = branch if branch.startswith("refs/") else f"refs/heads/{branch}"
        lines = [b"reset %s" % ref.encode()] if parents == () else []
        lines += [b"commit %s" % ref.encode(), b"mark :%d" % self.marks, b"author " + ident, b"committer " + ident]
        if encoding:
            lines.append(b"encoding " + encoding.encode())
        lines.append(b"data %d\n%s" % (len(text), text))
        for number, parent in enumerate(parents or ()):
            lines.append(b"%s :%d" % (b"from" if number == 0 else b"merge", parent))
        for name, content in (files or {}).items():
            path = quoted(name.encode() if isinstance(name, str) else name)
            if content is None:
                lines.append(b"D " + path)
            else:
                lines.append(b"M %s inline %s\ndata %d\n%s" % (mode, path, len(content), content))
        self.stream.append(b"\n".join(lines) + b"\n")
        return self.marks

    def write(self, folder: Path, *, init: Sequence[str] = (), checkout: bool = True) -> Path:
        """Make the repository (branch main) and check it out."""
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q", "-b", "main", *init)
        if self.stream:
            git(folder, "fast-import", "--quiet", "--force", stdin=b"".join(self.stream))
            if checkout and "--bare" not in init:
                git(folder, "reset", "-q", "--hard", "main")
        return folder


def simple(folder: Path, *, remote: str = "", init: Sequence[str] = ()) -> Path:
    """Three commits: two files, an edit, a rename."""
    history = History()
    body = b"def start():\n    return 1\n\n\ndef stop():\n    return 2\n"
    history.commit("Add the engine\n\nIt starts and stops.\n", {"engine.py": body, "README.md": b"# Engine\n"})
    history.commit("Return three from stop", {"engine.py": body.replace(b"2", b"3")})
    history.commit("Move the engine", {"engine.py": None, "core/engine.py": body.replace(b"2", b"3")})
    history.write(folder, init=init)
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder
