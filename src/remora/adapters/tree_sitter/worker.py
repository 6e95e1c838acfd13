"""The process that parses: reads texts from its input, writes facts to its output."""

import gc
import resource
import sys

from remora.adapters.tree_sitter.pool import serve
from remora.core import policy


def main() -> None:
    """Serve until the input ends, within a memory bound."""
    # Facts are trees without cycles and live for one file: collecting cycles only costs time.
    gc.disable()
    bound = policy.PARSE_MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    serve(sys.stdin.buffer, sys.stdout.buffer)
