"""The command: `remora ...` and `python -m remora ...`."""

import sys


def main() -> None:
    """Run the command line. Bare `remora mcp` starts with every agent session, so it skips the CLI's framework."""
    if sys.argv[1:] == ["mcp"]:
        from remora.entrypoints.mcp.run import run_bare

        run_bare()
    else:
        from remora.entrypoints.cli.app import main as run

        run()


if __name__ == "__main__":
    main()
