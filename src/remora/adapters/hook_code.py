"""The hook's own code on this machine: compiled ahead, since a prompt waits for it."""

import compileall
from pathlib import Path

import remora_hook


def hook_script() -> Path:
    """The file that clients run."""
    return Path(remora_hook.__file__).absolute().with_name("hook.py")


def compile_hook() -> bool:
    """Write bytecode beside the sources; False where that is not allowed, which only makes the hook slower."""
    return bool(compileall.compile_dir(str(hook_script().parent), quiet=2, maxlevels=0))
