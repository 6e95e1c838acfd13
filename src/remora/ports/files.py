"""Files of a project that others own and we patch."""

from typing import Protocol


class ProjectFiles(Protocol):
    """Files of one project that others own too: settings, instructions, hooks. Paths are relative, with `/`.

    A path out of the project raises `InvalidInput`; a failing disk raises `Unavailable` with the old content intact.
    """

    def read(self, path: str) -> bytes | None:
        """The whole file, None when it is absent."""
        ...

    def write(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Replace or create the file in one step, its mode kept."""
        ...

    def remove(self, path: str) -> None:
        """Remove the file, and folders of the project that it leaves empty."""
        ...

    def read_receipts(self) -> bytes | None:
        """Receipts of former installs, kept beside the project; None when there are none."""
        ...

    def write_receipts(self, data: bytes) -> None:
        """Keep receipts; empty removes them."""
        ...
