"""A home for a repository that a server keeps memory of without having its files: a bare git repository, empty."""

from collections.abc import Mapping
from pathlib import Path

from remora.adapters.git.checkout import pin_identity
from remora.adapters.git.runner import GitRunner
from remora.core.capture.remote import normal_remote
from remora.core.errors import InvalidInput, unusable
from remora.core.ids import repo_id

_RANDOM = "local:"


def host(folder: Path, name: str, environ: Mapping[str, str]) -> Path:
    """Make the home of the repository with this identity (a remote's address, or `local:...`) below `folder`, once.

    Raises `InvalidInput` for what names no repository.
    """
    identity = name if name.startswith(_RANDOM) and name.isprintable() else normal_remote(name)
    if not identity or identity.startswith("file:"):
        raise InvalidInput("--hosted", f"{name[:200]!r} names no repository", allowed="a remote's address, local:...")
    home = folder / f"{repo_id(identity)}.git"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(error) from error
    if not (home / "HEAD").exists():
        GitRunner(folder, environ).run("init", "--quiet", "--bare", "--template=", home.name)
    pin_identity(home, identity)
    return home
