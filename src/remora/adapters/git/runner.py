"""The one place that starts git: fixed flags, a cleared environment, deadlines, no shell, bytes in and out."""

import os
import re
import selectors
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

from remora.core.errors import SourceFailed, Unavailable
from remora.core.policy import GIT_IDLE_SECONDS, GIT_TIMEOUT_SECONDS

_OVERRIDES = (
    # Programs that a repository's config could start.
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.askPass", "false"),
    ("credential.helper", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    # Settings that change what is printed.
    ("color.ui", "false"),
    ("core.quotePath", "false"),
    ("core.attributesFile", os.devnull),
    ("diff.algorithm", "default"),
    ("diff.colorMoved", "no"),
    ("diff.context", "3"),
    ("diff.ignoreSubmodules", "none"),
    ("diff.indentHeuristic", "true"),
    ("diff.interHunkContext", "0"),
    ("diff.mnemonicPrefix", "false"),
    ("diff.noprefix", "false"),
    ("diff.orderFile", os.devnull),
    ("diff.relative", "false"),
    ("diff.submodule", "short"),
    ("format.notes", "false"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.abbrevCommit", "false"),
    ("log.date", "default"),
    ("log.decorate", "false"),
    ("log.follow", "false"),
    ("log.mailmap", "false"),
    ("log.showRoot", "true"),
    ("log.showSignature", "false"),
    ("submodule.recurse", "false"),
)
_FLAGS = (
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    *(part for key, value in _OVERRIDES for part in ("-c", f"{key}={value}")),
)
_KEPT = {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"}
"""Where the user's own config lies (it may hold `safe.directory`); every other GIT_ variable is dropped."""
_FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    # A commit's record says what that commit's own object says, in every clone alike.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    # Reading never goes to the network, also not for objects that a partial clone lacks.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_CHUNK_BYTES = 1 << 18
_ADVICE = (
    ("dubious ownership", "if you trust this folder, run `git config --global --add safe.directory <folder>`"),
    ("not a git repository", "run this inside a git repository, or make one with `git init`"),
    ("unknown revision", "check the name with `git rev-parse`"),
    ("bad revision", "check the name with `git rev-parse`"),
    ("Needed a single revision", "check the name with `git rev-parse`"),
    ("bad object", "objects are missing or damaged; run `git fsck`, or fetch the full history"),
    ("unable to read", "objects are missing or damaged; run `git fsck`, or fetch the full history"),
    ("Could not read", "objects are missing or damaged; run `git fsck`, or fetch the full history"),
    ("Failed to traverse", "objects are missing or damaged; run `git fsck`, or fetch the full history"),
    ("does not support", "install a newer git"),
    ("unknown repository extension", "install a newer git"),
    ("bad config", "repair the repository's config file"),
    ("Permission denied", "check who owns the repository's files"),
)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")


class GitFailed(SourceFailed):
    """Git said no. `stderr` is its whole answer (credentials removed), `exit_code` its status."""

    def __init__(self, argv: tuple[str, ...], exit_code: int, stderr: str) -> None:
        self.argv = tuple(redacted(arg) for arg in argv)
        self.exit_code = exit_code
        self.stderr = redacted(stderr)
        lines = [line for line in self.stderr.splitlines() if line.strip()]
        shown = "git " + " ".join(arg[:200] for arg in self.argv[:12]) + (" ..." if len(self.argv) > 12 else "")
        told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines
        said = told[-1].strip()[:500] if told else "no message"
        advice = next((text for sign, text in _ADVICE if sign in self.stderr), "run the command by hand to see more")
        super().__init__(f"{shown!r} failed with exit code {exit_code}: {said}", advice=advice)


def redacted(text: str) -> str:
    """The text without credentials in addresses."""
    return _CREDENTIALS.sub("", text) if "://" in text else text


def clean_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for git: no GIT_ variables of a calling hook, no locale, no prompts, no network."""
    kept = {
        name: value
        for name, value in environ.items()
        if (not name.startswith("GIT_") or name in _KEPT)
        and not name.startswith("LC_")
        and name not in ("LANG", "LANGUAGE", "SSH_ASKPASS", "PAGER")
    }
    return kept | _FIXED


class GitRunner:
    """Runs git in one folder. `environ` is the process environment, handed in by the one who reads it."""

    def __init__(self, folder: Path, environ: Mapping[str, str], *, program: str = "git") -> None:
        self.folder = folder
        self._environ = clean_environ(environ)
        self._program = program

    def run(self, *args: str, stdin: bytes = b"", timeout_seconds: float = GIT_TIMEOUT_SECONDS) -> bytes:
        """Standard output of one short command; raises `GitFailed` on any other exit code than 0."""
        try:
            done = subprocess.run(
                self._argv(args),
                cwd=self.folder,
                env=self._environ,
                input=stdin,
                capture_output=True,
                timeout=timeout_seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise _timed_out(args, timeout_seconds) from error
        except OSError as error:
            raise self._cannot_start(error) from error
        if done.returncode:
            raise GitFailed(args, done.returncode, done.stderr.decode("utf-8", "replace"))
        return done.stdout

    def stream(
        self,
        *args: str,
        stdin: bytes = b"",
        idle_seconds: float = GIT_IDLE_SECONDS,
        extra_environ: Mapping[str, str] | None = None,
    ) -> Iterator[bytes]:
        """Standard output in chunks as it comes; raises `GitFailed` after the last chunk when git failed.

        The process ends with the iterator. Input and messages go through unnamed files, so nothing can block.
        """
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as messages:
            source.write(stdin)
            source.seek(0)
            try:
                process = subprocess.Popen(
                    self._argv(args),
                    cwd=self.folder,
                    env=self._environ | dict(extra_environ or {}),
                    stdin=source,
                    stdout=subprocess.PIPE,
                    stderr=messages,
                )
            except OSError as error:
                raise self._cannot_start(error) from error
            with process:
                try:
                    assert process.stdout is not None
                    yield from _chunks(process.stdout, args, idle_seconds)
                    code = process.wait(timeout=idle_seconds)
                except subprocess.TimeoutExpired as error:
                    raise _timed_out(args, idle_seconds) from error
                finally:
                    if process.poll() is None:
                        process.kill()
            if code:
                messages.seek(0)
                raise GitFailed(args, code, messages.read(1 << 20).decode("utf-8", "replace"))

    def _argv(self, args: tuple[str, ...]) -> list[str]:
        return [self._program, *_FLAGS, *args]

    def _cannot_start(self, error: OSError) -> SourceFailed:
        if isinstance(error, FileNotFoundError) and self.folder.is_dir():
            return SourceFailed("git is not installed or not on PATH", advice="install git 2.31 or newer")
        return SourceFailed(f"git cannot be started in {str(self.folder)!r}: {error.strerror or error}")


def _chunks(pipe: IO[bytes], args: tuple[str, ...], idle_seconds: float) -> Iterator[bytes]:
    """What comes through the pipe; gives up when nothing came for `idle_seconds`."""
    descriptor = pipe.fileno()
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        deadline = time.monotonic() + idle_seconds
        while True:
            if not selector.select(timeout=max(0.0, deadline - time.monotonic())):
                raise _timed_out(args, idle_seconds)
            chunk = os.read(descriptor, _CHUNK_BYTES)
            if not chunk:
                return
            yield chunk
            deadline = time.monotonic() + idle_seconds


def _timed_out(args: tuple[str, ...], seconds: float) -> Unavailable:
    return Unavailable(
        f"'git {redacted(' '.join(args[:3]))}' gave no answer within {seconds:g} seconds", advice="try again later"
    )
