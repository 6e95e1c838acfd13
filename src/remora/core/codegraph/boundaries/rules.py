"""What a language's boundary table says: which external names expose something and which reach for it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

Place: TypeAlias = int | str
"""An argument of a call: its position, or its name (a keyword, or a key of an object given as an argument)."""

_BRACES = re.compile(r"\{([^{}]*)\}")
_HOLE = re.compile(r"<(\w+)>")
_OUTER = re.compile(r"::|\\|->")
_DEFAULTS = re.compile(r"\.default\b|\(\)")


def plain_name(name: str) -> str:
    """An external name with one separator, as patterns are written."""
    return _DEFAULTS.sub("", _OUTER.sub(".", name))


def alternatives(pattern: str) -> list[str]:
    """`a.{b,c}` as `a.b` and `a.c`."""
    found = _BRACES.search(pattern)
    if found is None:
        return [pattern]
    parts = (pattern[: found.start()] + part.strip() + pattern[found.end() :] for part in found[1].split(","))
    return [written for part in parts for written in alternatives(part)]


class Patterns:
    """Shapes of dotted names, anchored at the end: `*` is any text, `<word>` a name that is kept."""

    def __init__(self, shapes: Iterable[str]) -> None:
        self._exact: dict[str, list[str]] = {}
        self._loose: list[tuple[str, re.Pattern[str]]] = []
        for shape in (written for item in shapes for written in alternatives(item)):
            if "*" in shape or "<" in shape:
                words = sorted(re.split(r"<\w+>|\*", shape), key=len)
                self._loose.append((words[-1], re.compile(_regex(shape))))
            else:
                self._exact.setdefault(shape.rpartition(".")[2], []).append(shape)

    def match(self, name: str) -> dict[str, str] | None:
        """The kept words when a name has one of the shapes, else None."""
        for shape in self._exact.get(name.rpartition(".")[2], ()):
            if name == shape or (name.endswith(shape) and name[-len(shape) - 1] in "./"):
                return {}
        for word, regex in self._loose:
            if word in name and (found := regex.search(name)):
                return found.groupdict()
        return None

    def lasts(self) -> set[str]:
        """The last parts of the shapes without holes."""
        return set(self._exact)

    def words(self) -> list[str]:
        """A word that every name of each other shape has."""
        return [word for word, _ in self._loose]

    def __bool__(self) -> bool:
        return bool(self._exact or self._loose)


def _regex(shape: str) -> str:
    parts = []
    for part in re.split(r"(<\w+>|\*)", shape):
        hole = _HOLE.fullmatch(part)
        parts.append(f"(?P<{hole[1]}>\\w+?)" if hole else ".*" if part == "*" else re.escape(part))
    return r"(?:^|[./])" + "".join(parts) + "$"


class Mounting(NamedTuple):
    """A method that hangs one object below another: where the child and its prefix are."""

    child: Place
    prefix: tuple[Place, ...]
    overrides: bool = False


@dataclass(frozen=True, slots=True)
class ObjectRule:
    """An object that routes hang on, or that requests go out by; it may carry a prefix of its own."""

    alias: str
    made: Patterns
    typed: Patterns
    """Types whose values count as this object although nobody saw them made."""
    prefix: tuple[Place, ...] = ()
    groups: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    """Methods that give an object below this one, and where its prefix is."""
    mounts: Mapping[str, Mounting] = field(default_factory=dict)
    callbacks: Mapping[str, str] = field(default_factory=dict)
    """Methods that hand an object of another alias to a function given to them."""
    chained: bool = True
    hung: bool = False
    """Whether it hangs on whatever is around the call that makes it."""
    """Whether other methods give the object itself."""


@dataclass(frozen=True, slots=True)
class CallRule:
    """A call, annotation, base or declaration that exposes something (`provides`) or reaches for it."""

    channel: str
    provides: bool
    call: Patterns
    key: tuple[Place, ...] = ()
    verb: str = ""
    """`name` = in the name of the function; else the verb itself."""
    verb_at: tuple[Place, ...] = ()
    target: str = ""
    """What handles it: `decorated`, `functions` (an argument), `scope` (the function around), `verbs`, `action`."""
    form: str = ""
    """Key from the words the pattern kept, as `<service>/<method>`."""
    files: tuple[str, ...] = ()
    """Only in files of these shapes."""
    imports: tuple[str, ...] = ()
    """Only in files that import a module of one of these shapes."""
    tests: bool = False
    """Made for tests, so that being in one is no reason for doubt."""
    prefix: tuple[Place, ...] = ()
    """Of an annotation on a class: a prefix for what its methods expose."""
    resource: str = ""
    """Style of a call that declares the usual routes of a resource."""
    folder: str = ""
    """A prefix every route in such a file has."""
    place: str = ""
    """What a rule of declarations looks at: `annotation`, `base`, `signature`, `above`, `name`, `import`."""


@dataclass(slots=True, eq=False)
class BoundaryRules:
    """All rules of one language."""

    objects: Mapping[str, ObjectRule] = field(default_factory=dict)
    calls: tuple[CallRule, ...] = ()
    declared: tuple[CallRule, ...] = ()
    """Rules about declarations and annotations instead of calls."""
    groups: tuple[tuple[Patterns, tuple[Place, ...], str], ...] = ()
    """Calls that give whatever is written inside of their block a prefix, and what follows it."""
    methods: Mapping[str, str] = field(default_factory=dict)
    """Methods that a library gives functions of the tree -> the channel a call of one goes out by."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """External functions that make a text: name -> `printf`, `braces`, `join`, `first`."""
    foreign: bool = False
    """Whether calls into modules that are not of this tree may go to another language of it."""
    lasts: Mapping[str, tuple[CallRule, ...]] = field(default_factory=dict)
    """Last part of a name -> the rules about such names."""
    loose: tuple[tuple[str, CallRule], ...] = ()
    """Rules whose names end in anything, by a word they all have."""
    names: frozenset[str] = frozenset()
    """Last parts of all names that matter."""
    words: tuple[str, ...] = ()
    """Words of all names that matter and end in anything."""
    marked: tuple[CallRule, ...] = ()
    """Of those about declarations the ones that look at the words before a name or the comment above."""
    _concerns: dict[str, bool] = field(default_factory=dict)
    _makers: dict[str, ObjectRule | None] = field(default_factory=dict)
    _types: dict[str, ObjectRule | None] = field(default_factory=dict)

    def about(self, name: str) -> list[CallRule]:
        """The rules that may match a plain name, in the order of the table."""
        found = list(self.lasts.get(name.rpartition(".")[2], ()))
        return found + [rule for word, rule in self.loose if word in name]

    def concerns(self, written: str) -> bool:
        """Whether an external name as it is written may be one that a rule is about."""
        found = self._concerns.get(written)
        if found is None:
            found = self._concerns[written] = self.matters(plain_name(written))
        return found

    def matters(self, name: str) -> bool:
        """Whether a plain name may be one that a rule is about; quick."""
        last = name.rpartition(".")[2].rpartition("/")[2]
        return last in self.names or any(word in name for word in self.words)

    def maker(self, name: str) -> ObjectRule | None:
        """The rule of the object a call of a plain name makes."""
        if name not in self._makers:
            rules = self.objects.values() if self.matters(name) else ()
            self._makers[name] = next((rule for rule in rules if rule.made.match(name) is not None), None)
        return self._makers[name]

    def of_type(self, name: str) -> tuple[ObjectRule, str] | None:
        """For a name `Type.method` of a known type, the rule and the method."""
        head, _, method = name.rpartition(".")
        if head not in self._types:
            both = ((rule, shapes) for rule in self.objects.values() for shapes in (rule.typed, rule.made))
            self._types[head] = next((rule for rule, shapes in both if shapes.match(head) is not None), None)
        rule = self._types[head]
        return None if rule is None else (rule, method)


NO_BOUNDARIES = BoundaryRules()
