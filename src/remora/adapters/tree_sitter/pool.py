"""Parses many files: here when they are few, else in worker processes that can be killed."""

import os
import queue
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import IO, TypeAlias

from remora.adapters.tree_sitter.extract import extract
from remora.adapters.tree_sitter.language import missing
from remora.adapters.tree_sitter.manifests import MANIFEST, read_manifest
from remora.core import policy
from remora.core.codegraph.facts import FileFacts, Scope
from remora.core.codegraph.packed import encode
from remora.core.errors import Unavailable

Job: TypeAlias = tuple[int, str, bytes]
"""Number of the file, its language, its text."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When worker processes are used, how many, and how long one file may take."""

    in_process_files: int = policy.PARSE_IN_PROCESS_FILES
    in_process_bytes: int = policy.PARSE_IN_PROCESS_BYTES
    workers: int = policy.PARSE_WORKERS
    deadline_seconds: float = policy.PARSE_DEADLINE_SECONDS


def parse_many(jobs: Iterable[Job], limits: Limits = Limits()) -> Iterator[tuple[int, bytes]]:
    """Encoded facts per file, in any order."""
    rest = iter(jobs)
    first = list(islice(rest, limits.in_process_files))
    beyond = list(islice(rest, 1))
    if not beyond and all(len(text) <= limits.in_process_bytes for _, _, text in first):
        for number, language, text in first:
            yield number, parse_one(language, text)
        return
    yield from _Pool(chain(first, beyond, rest), limits).results()


def parse_one(language: str, text: bytes) -> bytes:
    """Encoded facts of one text; what defeats the extractor is said in `problem`."""
    return encode(facts_of(language, text))


def facts_of(language: str, text: bytes, *, declarations_only: bool = False) -> FileFacts:
    """Facts of one text, never an exception: a text that breaks the extractor costs this file alone."""
    if b"\0" in text[:8_000]:
        return _failed(language, "binary content")
    try:
        if language == MANIFEST:
            return read_manifest(text)
        return extract(language, text, declarations_only=declarations_only)
    except Unavailable:
        if extra := missing(language):
            return _failed(language, f"its grammar comes with remora[{extra}]")
        raise
    except Exception as error:  # noqa: BLE001 - hostile text must not end a build; the file says what happened
        return _failed(language, type(error).__name__)


def failed(language: str, problem: str) -> bytes:
    """Encoded facts of a file that gave none."""
    return encode(_failed(language, problem))


def _failed(language: str, problem: str) -> FileFacts:
    return FileFacts(language, [Scope("module", "", "", -1, 1, 1)], [("?",)], problem=problem)


_HEAD = struct.Struct("<qII")
"""Number of the file, bytes of the language's name, bytes of the text; a reply has the number and its bytes."""
_SHUTDOWN_SECONDS = 5


class _Pool:
    """A thread and a process per core; a process that misses its deadline or dies costs its file and is replaced."""

    def __init__(self, jobs: Iterator[Job], limits: Limits) -> None:
        self._jobs = jobs
        self._limits = limits
        self._lock = threading.Lock()
        self._done: queue.Queue[tuple[int, bytes] | BaseException | None] = queue.Queue(maxsize=256)
        self._stopped = threading.Event()

    def results(self) -> Iterator[tuple[int, bytes]]:
        count = max(1, min(os.cpu_count() or 1, self._limits.workers))
        threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        running = len(threads)
        try:
            while running:
                item = self._done.get()
                if item is None:
                    running -= 1
                elif isinstance(item, BaseException):
                    raise item
                else:
                    yield item
        finally:
            self._stopped.set()
            while any(thread.is_alive() for thread in threads):
                try:
                    self._done.get(timeout=0.05)
                except queue.Empty:
                    continue

    def _next(self) -> Job | None:
        with self._lock:
            return None if self._stopped.is_set() else next(self._jobs, None)

    def _run(self) -> None:
        worker: _Worker | None = None
        try:
            while (job := self._next()) is not None:
                worker = worker or _Worker(self._limits.deadline_seconds)
                number, language, _ = job
                reply = worker.ask(job)
                if isinstance(reply, str):
                    worker.kill()
                    worker = None
                    reply = failed(language, reply)
                self._done.put((number, reply))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that asked, which raises it
            self._done.put(error)
        finally:
            if worker is not None:
                worker.close()
            self._done.put(None)


class _Worker:
    def __init__(self, deadline_seconds: float) -> None:
        self._deadline_seconds = deadline_seconds
        # -c and not -m: the package's entry is imported once, under its own name.
        command = [sys.executable, "-c", "from remora.adapters.tree_sitter.worker import main; main()"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: IO[bytes] = self._process.stdin
        self._out = self._process.stdout.fileno()

    def ask(self, job: Job) -> bytes | str:
        """The encoded facts, or why there are none."""
        number, language, text = job
        name = language.encode()
        try:
            self._in.write(_HEAD.pack(number, len(name), len(text)) + name + text)
            self._in.flush()
            head = self._read(_HEAD.size)
            if isinstance(head, str):
                return head
            return self._read(_HEAD.unpack(head)[2])
        except OSError:
            return "the parser died"

    def _read(self, size: int) -> bytes | str:
        parts = []
        while size:
            ready, _, _ = select.select([self._out], [], [], self._deadline_seconds)
            if not ready:
                return "deadline"
            part = os.read(self._out, size)
            if not part:
                return "the parser died"
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def kill(self) -> None:
        self._process.kill()
        with suppress(OSError):
            self._in.close()
        self._reap()

    def close(self) -> None:
        try:
            self._in.close()
        except OSError:
            self._process.kill()
        self._reap()

    def _reap(self) -> None:
        try:
            self._process.wait(_SHUTDOWN_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_SHUTDOWN_SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()


def serve(read: IO[bytes], write: IO[bytes]) -> None:
    """A worker's life: one file after the other until its input ends."""
    while len(head := read.read(_HEAD.size)) == _HEAD.size:
        number, name_bytes, text_bytes = _HEAD.unpack(head)
        language = read.read(name_bytes).decode()
        reply = parse_one(language, read.read(text_bytes))
        write.write(_HEAD.pack(number, 0, len(reply)) + reply)
        write.flush()
