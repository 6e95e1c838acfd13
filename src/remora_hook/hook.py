"""The command that agent clients run: `<python> -I -S <this file> --client NAME --event EVENT`, the event on stdin.

This file parses on any Python 3 and checks the version before anything newer is read. It ends with status 0 whatever
happens, and what it prints is exactly what the client documents, or nothing.
"""
# ruff: noqa: PLC0415, SIM105, SLF001, UP031, UP036 -- plain old words, so that every Python 3 can parse this and say why it stops

import sys


def main() -> None:
    """Refuse old interpreters in one line; else find out whether there is anything to do."""
    if sys.version_info < (3, 11):
        sys.stderr.write("remora: the hook needs Python 3.11 or newer, this is %d.%d\n" % sys.version_info[:2])
        sys.stderr.flush()
        return
    sys.path.insert(0, __file__.replace("\\", "/").rsplit("/", 2)[0])
    try:
        from remora_hook import gate
    finally:
        del sys.path[0]
    gate.run(sys.argv[1:])


if __name__ == "__main__":
    try:
        main()
    except BaseException:  # noqa: BLE001, S110 -- a failing hook would block the user's prompt
        pass
    if "posix" in sys.modules:
        sys.modules["posix"]._exit(0)  # skips the interpreter's teardown: a third of the process's time
