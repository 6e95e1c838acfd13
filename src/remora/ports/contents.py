"""The words of the files of a checkout or a commit, by the identity of their content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from remora.core.locate.contents import Contents


class ContentsIndex(Protocol):
    """A derived index of texts by blob id: what was read once is not read again, whatever file holds it."""

    def find(self, files: Mapping[str, str], terms: Collection[str]) -> Contents:
        """Where these files (path -> blob id) hold the words; files whose text is new are read first."""
        ...
