"""The detached worker of a hook: reads one offload from stdin, extracts, and ends. It prints nothing."""
# ruff: noqa: E402 -- the pipe is emptied before anything slow loads: a hook waits at its other end

import os
import sys

_MAX_BYTES = 16 << 20
_RAW = sys.stdin.buffer.read(_MAX_BYTES) if __name__ == "__main__" else b""

from contextlib import suppress
from pathlib import Path


def main(raw: bytes) -> None:
    """Run the job; its row in the store says how it went."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from remora.bootstrap import open_ports
    from remora.config import load
    from remora.core.jobs import read_offload
    from remora.core.scope import Channel, operator_grant
    from remora.usecases.extract_facts import extract_facts

    settings = load()
    if not settings.allow_memory:
        return
    ports = open_ports(settings, Path.cwd())
    try:
        extract_facts(ports, read_offload(raw, lambda client: operator_grant(Channel.HOOK, client)))
    finally:
        ports.store_admin.close()


if __name__ == "__main__":
    with suppress(BaseException):  # there is nobody to tell; the row without an end says that it was lost
        main(_RAW)
    os._exit(0)
