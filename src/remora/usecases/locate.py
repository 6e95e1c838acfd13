"""Find the files that a described change will touch."""

from typing import Protocol

from remora.core import policy
from remora.core.errors import InvalidInput, SourceFailed
from remora.core.locate.contents import Contents
from remora.core.locate.past import read_past
from remora.core.locate.query import LocateQuery, locate_query
from remora.core.locate.rank import Located
from remora.core.locate.rank import locate as rank_files
from remora.core.scope import Grant, Right
from remora.ports import ContentsIndex, Git, RecordPorts

_SYMLINK = "120000"


class LocatePorts(RecordPorts, Protocol):
    """What this verb needs of the ports."""

    @property
    def git(self) -> Git:
        """Which files there are."""
        ...

    @property
    def contents(self) -> ContentsIndex:
        """What their text holds."""
        ...


def locate(ports: LocatePorts, grant: Grant, text: str, *, limit: int = policy.LOCATE_LIMIT) -> Located:
    """Tracked files, best first, each with the records, words and names that speak for it.

    Files are for those who may read the repository, and only what the caller may see of the records counts. Without
    git there are no files to tell, which raises.
    """
    grant.require(ports.repository.identity, Right.READ)
    if not 1 <= limit <= policy.LOCATE_LIMIT_MAX:
        raise InvalidInput("limit", f"{limit} is out of range", allowed=f"1 to {policy.LOCATE_LIMIT_MAX}")
    query = locate_query(text)
    if query.empty:
        raise InvalidInput("query", "holds no word to look for")
    contents = _contents(ports, query)
    with ports.record_index.view(grant) as view:
        past = read_past(view, query.terms, contents.lengths, {})
    return rank_files(query, contents, past, limit=limit)


def _contents(ports: LocatePorts, query: LocateQuery) -> Contents:
    """The tracked files as git's index has them; in a bare repository as HEAD has them."""
    tracked = ports.git.tracked("HEAD" if ports.git.checkout.bare else "")
    files = {file.path: file.blob for file in tracked if file.mode != _SYMLINK}
    if not files:
        raise SourceFailed("no file is under git here", advice="add files with `git add`")
    return ports.contents.find(files, query.terms)
