"""The command: `remora ...` and `python -m remora ...`."""

import sys

_INTERRUPTED = 130
_WRONG_USE = 2


def main() -> None:
    """Run the command line; an interruption at any moment, imports included, ends it without a word."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _run() -> None:
    """Bare `remora mcp` and `remora hook` start often and skip the CLI's framework."""
    if sys.argv[1:2] != ["hook"] and not _has_a_folder():
        _refuse_without_folder()
    if sys.argv[1:] == ["mcp"]:
        from remora.entrypoints.mcp.run import run_bare

        run_bare()
    elif sys.argv[1:2] == ["hook"]:
        from remora_hook.alias import run_alias

        run_alias(sys.argv[2:])
    else:
        from remora.entrypoints.cli.app import main as run

        run()


def _has_a_folder() -> bool:
    """False when the folder this process stands in was deleted: no path can be made absolute then."""
    from pathlib import Path

    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _refuse_without_folder() -> None:
    from remora.core.errors import InvalidInput
    from remora.entrypoints.cli.frame import report

    gone = InvalidInput("working folder", "no longer exists", allowed="a folder that exists: cd to one")
    report(gone, json_output="--json" in sys.argv)
    sys.exit(_WRONG_USE)


if __name__ == "__main__":
    main()
