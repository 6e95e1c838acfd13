"""`remora hook ...`: the same hook, started by the command of the package."""
# ruff: noqa: PLC0415 -- modules load where they are needed

import sys


def run_alias(arguments: list[str]) -> None:
    """Run the hook and leave with status 0, whatever happens."""
    try:
        from remora_hook import gate

        gate.run(arguments)
    except BaseException:  # noqa: BLE001, S110 -- a failing hook would block the user's prompt
        pass
    sys.exit(0)
