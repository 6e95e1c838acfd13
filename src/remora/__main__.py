"""The command: `remora ...` and `python -m remora ...`."""

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; an interruption at any moment, imports included, ends it without a word."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _run() -> None:
    """Bare `remora mcp` and `remora hook` start often and skip the CLI's framework."""
    if sys.argv[1:] == ["mcp"]:
        from remora.entrypoints.mcp.run import run_bare

        run_bare()
    elif sys.argv[1:2] == ["hook"]:
        from remora_hook.alias import run_alias

        run_alias(sys.argv[2:])
    else:
        from remora.entrypoints.cli.app import main as run

        run()


if __name__ == "__main__":
    main()
