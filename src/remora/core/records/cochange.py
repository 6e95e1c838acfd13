"""Which files usually change together with some others, from the commits that records tell of."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from remora.core import policy
from remora.core.records.indexed import Narrowing, path_key
from remora.core.records.subject import Subject, trail
from remora.core.records.view import RecordView
from remora.core.records.vocabulary import RecordKind


@dataclass(frozen=True, slots=True)
class Partner:
    """A file that changed in `count` of the `of` commits that changed `path`, whatever it was called then; `support` is
    their share."""

    path: str
    partner: str
    count: int
    of: int
    support: float


def partners(view: RecordView, paths: Collection[str]) -> tuple[Partner, ...]:
    """Habitual partners that are not among the paths themselves, the strongest habit first; sweeping commits tell
    nothing and are left out."""
    found: dict[str, Partner] = {}
    given = set(paths)
    for path in sorted(given)[: policy.COCHANGE_PATHS_MAX]:
        for partner in _of(view, path, given):
            known = found.get(partner.partner)
            if known is None or (partner.support, partner.count) > (known.support, known.count):
                found[partner.partner] = partner
    ordered = sorted(found.values(), key=lambda item: (-item.support, -item.count, item.partner))
    return tuple(ordered[: policy.COCHANGE_SHOWN])


def _of(view: RecordView, path: str, given: Collection[str]) -> list[Partner]:
    narrowing = Narrowing(kinds=frozenset({RecordKind.CHANGE_EPISODE}))
    way = trail(view, [Subject(path, (path_key(path),))])
    names = {key.key for key in way.keys}
    items, _ = view.anchored(way.keys, narrowing, limit=policy.COCHANGE_COMMITS)
    counts: Counter[str] = Counter()
    commits = 0
    for item in items:
        touched = {change.new_path or change.old_path for change in item.record.path_changes}
        own = {name for name in touched if path_key(name) in names}
        if item.unreachable or not own or len(touched) > policy.COCHANGE_FILES_MAX:
            continue
        commits += 1
        counts.update(touched - own)
    return [
        Partner(path, other, count, commits, round(count / commits, 3))
        for other, count in counts.items()
        if other not in given and count >= policy.COCHANGE_COUNT_MIN and count / commits >= policy.COCHANGE_SUPPORT_MIN
    ]
