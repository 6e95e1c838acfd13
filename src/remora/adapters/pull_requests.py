"""Pull requests as `gh` tells them, when it is installed."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from remora.core.errors import Unavailable
from remora.core.policy import PULL_REQUEST_SECONDS


class GitHubPullRequests:
    """The `PullRequests` port. Starts `gh` in the checkout, which knows the remote and the user's login."""

    def __init__(self, folder: Path, environ: Mapping[str, str], *, program: str = "gh") -> None:
        self._folder = folder
        self._environ = {key: value for key, value in environ.items() if not key.startswith("GIT_")}
        self._program = program

    def ends(self, number: int) -> tuple[str, str]:
        """(base, head) commits of a pull request."""
        command = [self._program, "pr", "view", str(number), "--json", "baseRefOid,headRefOid"]
        try:
            done = subprocess.run(
                command, cwd=self._folder, env=self._environ | {"GH_PROMPT_DISABLED": "1"}, capture_output=True,
                timeout=PULL_REQUEST_SECONDS, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
            data = json.loads(done.stdout) if done.returncode == 0 else {}
            return str(data["baseRefOid"]), str(data["headRefOid"])
        except FileNotFoundError as error:
            raise Unavailable("pull request numbers need `gh`", advice="install it, or give BASE..HEAD") from error
        except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
            raise Unavailable(
                f"gh does not tell of pull request {number}", advice="try `gh auth status`, or give BASE..HEAD"
            ) from error
