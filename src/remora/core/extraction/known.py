"""Names of entities that the store knows: offered to a model for use again, and looked up to ground them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from remora.core import policy
from remora.core.extraction.grounding import Heard, NamesOf
from remora.core.extraction.prompt import offered_names
from remora.core.facts.batch import Triple
from remora.core.facts.decide import entities_of, known_names
from remora.core.facts.layout import ENTITY, FAMILY, alias_id, read_entity
from remora.core.scope import REPOSITORY
from remora.core.store_read import StoreRead
from remora.core.text import name_key


@dataclass(frozen=True, slots=True)
class KnownNames:
    """All names of the newest entities, the session's own first, then the repository's."""

    entities: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, view: StoreRead, scope: str, redact: Callable[[str], str]) -> "KnownNames":
        """The newest of the session's scope and of the repository's."""
        found: list[tuple[str, ...]] = []
        for place in (scope, REPOSITORY):
            items, _ = view.scan(FAMILY, ENTITY, (place,), limit=policy.EXTRACTION_KNOWN_LOOKED, newest_first=True)
            found += [tuple(redact(name) for name in read_entity(item).names) for item in items]
        return cls(tuple(found))

    def offered(self, texts: Iterable[str]) -> list[str]:
        """First names for the prompt; those of which any name was said come first."""
        heard = Heard(texts)
        names = [names[0] for names in self.entities if names]
        return offered_names(names, [names[0] for names in self.entities if any(map(heard.has, names))])

    @staticmethod
    def look_up(view: StoreRead, scope: str, triples: Sequence[Triple]) -> NamesOf:
        """What names of the triples mean in the session's scope or in the repository's."""
        keys = {name_key(name) for triple in triples for name in (triple.subject, triple.object)} - {""}
        names: dict[str, list[str]] = {}
        for place in (scope, REPOSITORY):
            known = known_names(view, place, {alias_id(place, key): key for key in keys})
            entities = entities_of(view.get(set(known.values()), (place,)).values())
            for key, item in known.items():
                names.setdefault(key, []).extend(entities[item].names if item in entities else ())
        return lambda key: names.get(key, ())
