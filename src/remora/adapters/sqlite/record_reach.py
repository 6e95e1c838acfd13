"""What the record index knows of commits that nothing holds any more: followed as branches move, never walked anew."""

import apsw

from remora.adapters.sqlite.record_layout import whole
from remora.core import ids
from remora.core.errors import SourceFailed, Unavailable
from remora.ports import CommitReach


def tips_of(reach: CommitReach | None) -> tuple[str, ...] | None:
    """What branches and HEADs name now; None when there is no git to ask, or it does not answer."""
    if reach is None:
        return None
    try:
        return reach.tips()
    except (SourceFailed, Unavailable):
        return None


def is_followed(con: apsw.Connection, tips: tuple[str, ...] | None) -> bool:
    """Whether the index has judged all its commits by these tips."""
    if tips is None:
        return True
    return _meta(con, "tips_digest") == _digest(tips) and not _newer(con)


def follow(con: apsw.Connection, reach: CommitReach | None, tips: tuple[str, ...] | None) -> None:
    """Judge new commits, and those that moved branches let go or took back, inside the caller's write transaction.

    A commit that is not there was never fetched, or was pruned: it stays as it was judged before.
    """
    if reach is None or tips is None:
        return
    try:
        _judge(con, reach, tips)
        con.execute("INSERT OR REPLACE INTO meta VALUES('tips', ?)", (" ".join(tips),))
    except (SourceFailed, Unavailable):
        pass  # what was found before stands until branches move again
    last = whole(con.execute("SELECT coalesce(max(doc), 0) FROM doc").get)
    con.executemany("INSERT OR REPLACE INTO meta VALUES(?, ?)", (("tips_digest", _digest(tips)), ("judged", last)))


def unreachable(con: apsw.Connection) -> frozenset[str]:
    """Recorded commits that nothing holds any more."""
    return frozenset(str(sha) for (sha,) in con.execute("SELECT sha FROM unreachable"))


def _judge(con: apsw.Connection, reach: CommitReach, tips: tuple[str, ...]) -> None:
    flagged = unreachable(con)
    fresh = set(_newer(con))
    lost: set[str] = set()
    if _meta(con, "tips_digest") != _digest(tips):
        before = _meta(con, "tips").split()
        lost |= _recorded(con, reach.dropped(set(before).difference(tips), tips))
        lost -= flagged
        dropped = reach.dropped(flagged, tips) if flagged else frozenset()
        back = reach.there(flagged) - dropped
        con.executemany("DELETE FROM unreachable WHERE sha=?", [(sha,) for sha in sorted(back)])
    lost |= reach.dropped(fresh, tips) & fresh
    con.executemany("INSERT OR IGNORE INTO unreachable VALUES(?)", [(sha,) for sha in sorted(lost)])


def _newer(con: apsw.Connection) -> list[str]:
    """Commits of documents that came after the last judgement."""
    judged = int(_meta(con, "judged") or 0)
    query = "SELECT DISTINCT sha FROM doc WHERE doc > ? AND sha != ''"  # by document number: no index on commits
    return [sha for (sha,) in con.execute(query, (judged,)) if _is_commit(str(sha))]


def _recorded(con: apsw.Connection, commits: frozenset[str]) -> set[str]:
    if not commits:
        return set()
    return {str(sha) for (sha,) in con.execute("SELECT DISTINCT sha FROM doc") if sha in commits}


def _meta(con: apsw.Connection, key: str) -> str:
    found = con.execute("SELECT value FROM meta WHERE key=?", (key,)).get
    return "" if found is None else str(found)


def _digest(tips: tuple[str, ...]) -> str:
    return ids.digest(" ".join(tips).encode("ascii"))


def _is_commit(sha: str) -> bool:
    """Whether it can be handed to git: records of other stores may say anything."""
    return len(sha) in (40, 64) and all(char in "0123456789abcdef" for char in sha)
