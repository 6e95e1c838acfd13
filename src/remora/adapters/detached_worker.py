"""Hands offloaded turns over a pipe to a process of its own, for hooks that must exit at once."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from remora.core.errors import Unavailable
from remora.core.jobs import Offload, offload_bytes

_DETACHED = 0x00000008 | 0x00000200
"""DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP of Windows."""


@dataclass(frozen=True)
class DetachedWorker:
    """Implements `ports.Jobs` without a queue: each job is a process. `script` reads the turns from its stdin.

    Nothing of a turn is in the arguments or the environment of that process, and it writes to no stream.
    """

    script: Path
    folder: Path
    holder: str

    def reserve(self) -> bool:
        """There is always room."""
        return True

    def release(self) -> None:
        """Nothing was held."""

    def close(self, wait_seconds: float = 0) -> None:
        """Each worker holds its own lease."""

    def submit(self, offload: Offload) -> None:
        """Start the process and write to its pipe; it reads all before it does anything else."""
        try:
            worker = subprocess.Popen(
                [sys.executable, "-I", str(self.script)],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
                start_new_session=os.name != "nt", creationflags=_DETACHED if os.name == "nt" else 0,
            )  # fmt: skip
            assert worker.stdin is not None
            with worker.stdin as pipe:
                pipe.write(offload_bytes(offload))
        except OSError as error:
            raise Unavailable("no worker process could be started") from error
        worker.returncode = 0  # nobody waits for it


def detached_worker(folder: Path, holder: str) -> DetachedWorker:
    """The worker that this package ships, for the repository at `folder`."""
    script = Path(__file__).resolve().parents[1] / "entrypoints" / "offload_worker.py"
    return DetachedWorker(script, folder, holder)
