"""No server runs: load the core into this process and let it answer. Only here does anything else load."""
# ruff: noqa: PLC0415 -- modules load where they are needed: a silent hook must not pay for the others

import sys
import time

from remora_hook.gate import posix
from remora_hook.journal import Journal
from remora_hook.wire import is_json_object

_ORDINARY = ("no_run_file", "server_gone", "refused")
"""Reasons for which no server was asked that nobody has to mend."""


def answer(event: bytes, arguments: list[str], journal: Journal, why: str, until: float) -> bytes | None:
    """What `remora.entrypoints.hook_cold.run(event, arguments) -> bytes` says; None when journalled why not."""
    _watch(until, journal)
    if why not in _ORDINARY:
        journal.note(why)
    sys.path.extend(_packages())
    saved = _copy_of_stdout()
    nowhere = posix.open("nul" if sys.platform == "win32" else "/dev/null", posix.O_RDWR)
    try:
        posix.dup2(nowhere, 1)  # whatever a library prints must not reach the client
        posix.dup2(nowhere, 2)
        core = __import__("remora.entrypoints.hook_cold", fromlist=("run",))
        said: bytes | None = core.run(event, arguments)
    except ImportError as error:
        journal.skip("core_not_found", kind=error.name or "", server=why)
        return None
    finally:
        if saved >= 0:
            posix.dup2(saved, 1)
            posix.close(saved)
    if said and not is_json_object(said.decode("utf-8", "replace")):
        journal.skip("answer_is_not_json")
        return None
    return said


def _copy_of_stdout() -> int:
    try:
        return posix.dup(1)
    except OSError:  # closed: there is work to do even when nobody listens
        return -1


def _packages() -> list[str]:
    """Where the core and its libraries lie: beside this package, and in the interpreter's own environment."""
    own = __file__.replace("\\", "/").rsplit("/", 2)[0]
    prefix = sys.executable.replace("\\", "/").rsplit("/", 2)[0]
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folders = [own]
    for folder in (f"{prefix}/lib/{version}/site-packages", f"{prefix}/Lib/site-packages"):
        try:
            posix.stat(folder)
        except OSError:
            continue
        folders.append(folder)
    return folders


def _watch(until: float, journal: Journal) -> None:
    """A second clock, in a thread: a library that waits inside C code does not hear the timer's signal."""
    import _thread

    def leave() -> None:
        time.sleep(max(0.0, until - time.monotonic()) + 0.05)
        journal.skip("deadline")
        posix._exit(0)  # noqa: SLF001 -- the one way out that runs nothing more

    _thread.start_new_thread(leave, ())
