"""Rules that every store engine shares, so that engines cannot differ: rights, checks, the candidates' cap."""

from collections.abc import Collection, Iterable, Mapping

from remora.core.errors import InvalidBatch, InvalidInput
from remora.core.graph import Changes, Edge, Item, Vector
from remora.core.scope import REPOSITORY, Grant, Right

_INT64 = 1 << 63


def right_to_change(scope: str) -> Right:
    """What it takes to put an item into a scope or to drop it: durable shared items need more than private ones."""
    return Right.WRITE if scope == REPOSITORY else Right.READ


def right_to_drop_scope(scope: str) -> Right:
    """Emptying the repository's durable memory is an administrator's act; a session may go with the read right."""
    return Right.ADMIN if scope == REPOSITORY else Right.READ


def authorise(grant: Grant, repository: str, scopes: Iterable[str]) -> None:
    """Raise `Denied` unless the grant may put into and drop from each of the scopes."""
    needed = max((right_to_change(scope) for scope in scopes), default=Right.READ)
    grant.require(repository, needed)


def storable(text: str) -> bool:
    """Whether every engine can keep and match this text: no NUL, no lone surrogate."""
    if text.isascii():
        return "\0" not in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def check(changes: Changes) -> None:
    """Raise `InvalidBatch` listing everything in the changes that no engine would keep."""
    errors: list[InvalidInput] = []
    seen: set[str] = set()
    dropped = set(changes.drop)
    for item in changes.put:
        errors.extend(_item_errors(item))
        if item.id in seen:
            errors.append(InvalidInput("put", f"{item.id!r} is put twice in one write"))
        if item.id in dropped:
            errors.append(InvalidInput("put", f"{item.id!r} is put and dropped in one write"))
        seen.add(item.id)
    for vector in changes.vectors:
        errors.extend(_vector_errors(vector, dropped))
    if errors:
        raise InvalidBatch("changes", errors)


def _item_errors(item: Item) -> Iterable[InvalidInput]:
    required = {"id": item.id, "family": item.family, "label": item.label, "scope": item.scope}
    if isinstance(item, Edge):
        required |= {"source": item.source, "target": item.target}
    for field, text in required.items():
        if not text:
            yield InvalidInput(field, f"is empty in item {item.id[:80]!r}")
    if not storable("".join((*required.values(), item.name))):
        yield InvalidInput("item", f"{item.id[:80]!r} has a NUL or a lone surrogate in an id, label, scope or name")
    if not all(storable("".join((field, *tokens))) for field, tokens in item.tokens.items()):
        yield InvalidInput("tokens", f"of item {item.id[:80]!r} hold a NUL or a lone surrogate")
    if not (-_INT64 <= item.created < _INT64 and -_INT64 <= item.updated < _INT64):
        yield InvalidInput("updated", f"of item {item.id[:80]!r} is no time", allowed="microseconds in 64 bits")


def _vector_errors(vector: Vector, dropped: Collection[str]) -> Iterable[InvalidInput]:
    if not vector.model or not storable(vector.model + vector.text_hash):
        yield InvalidInput("model", f"of the vector of {vector.item[:80]!r} is empty or no text")
    if not vector.data or len(vector.data) % 4:
        yield InvalidInput("data", f"of the vector of {vector.item[:80]!r} is not a row of float32")
    if vector.item in dropped:
        yield InvalidInput("vectors", f"{vector.item[:80]!r} is dropped in the same write")


def term_order(frequency: Mapping[str, int]) -> list[str]:
    """Query terms in the order in which candidates are taken: rarest first, ties by the term; absent ones left out."""
    return sorted((term for term, count in frequency.items() if count), key=lambda term: (frequency[term], term))


def capped(matches: Mapping[str, Collection[str]], limit: int) -> list[str]:
    """The ids that survive the cap, sorted: terms rarest first, within a term by id, until `limit` are taken."""
    chosen: set[str] = set()
    for term in term_order({term: len(ids) for term, ids in matches.items()}):
        fresh = sorted(set(matches[term]) - chosen)
        chosen.update(fresh[: max(0, limit - len(chosen))])
    return sorted(chosen)


def newest_cursor(after: str) -> tuple[int, str]:
    """Read the cursor of a newest-first scan, `updated:id`; raise `InvalidInput` on anything else."""
    time, colon, item = after.partition(":")
    digits = time.removeprefix("-")
    if not (colon and digits.isascii() and digits.isdecimal() and len(digits) < 20 and int(digits) < _INT64):
        raise InvalidInput("after", f"{after[:80]!r} is not a cursor of this list")
    return int(time), item
