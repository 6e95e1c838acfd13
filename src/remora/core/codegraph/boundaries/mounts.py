"""The whole paths of routes: what their router is made with, and where it is hung."""

from collections.abc import Mapping, Sequence

from remora.core import policy
from remora.core.codegraph.boundaries.endpoints import Endpoint, Made, Mount, Ref


class Mounts:
    """All objects of a tree and how they hang together."""

    def __init__(self, endpoints: Mapping[int, Sequence[Endpoint]]) -> None:
        self._made: dict[Ref, Made] = {}
        self._above: dict[Ref, list[tuple[list[Ref], list[str], bool]]] = {}
        for file, rows in endpoints.items():
            for row in rows:
                if isinstance(row, Made):
                    self._made[(file, row.origin)] = row
                elif isinstance(row, Mount):
                    for child in row.children:
                        above = (_refs(row.parents), row.prefixes, row.overrides)
                        self._above.setdefault((child[0], child[1]), []).append(above)

    def prefixes(self, refs: Sequence[Ref]) -> list[str]:
        """Every prefix that something on one of these objects has; one empty prefix without objects."""
        found = [text for ref in refs for text in self._of((ref[0], ref[1]), ())]
        return list(dict.fromkeys(found))[: policy.BOUNDARY_MOUNTS] or [""]

    def _of(self, ref: Ref, above: tuple[Ref, ...]) -> list[str]:
        if ref in above or len(above) >= policy.BOUNDARY_MOUNTS:
            return []
        made = self._made.get(ref)
        own = made.prefixes if made is not None else [""]
        hung = [(_refs(made.parents), [""], False)] if made is not None and made.parents else []
        hung += self._above.get(ref, [])
        found: list[str] = []
        for parents, prefixes, overrides in hung:
            tops = [text for parent in parents for text in self._of(parent, (*above, ref))] if parents else [""]
            inner = [""] if overrides and any(prefixes) else own
            found += [joined(top, prefix, part) for top in tops for prefix in prefixes for part in inner]
        return found[: policy.BOUNDARY_MOUNTS] if hung else own


def _refs(refs: Sequence[Ref]) -> list[Ref]:
    """References as they are looked up; from JSON they are lists."""
    return list(refs)


def joined(*parts: str) -> str:
    """Paths one below the other."""
    found = ""
    for part in parts:
        if part and part != "/":
            found = f"{found.rstrip('/')}/{part.lstrip('/')}" if found else part
    return found
