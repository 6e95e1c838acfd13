"""Demand-driven evaluation with least fixpoints: what a question's answer is never depends on what was asked before."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from remora.core import policy
from remora.core.codegraph.facts import FileFacts
from remora.core.codegraph.modules import Modules
from remora.core.codegraph.rules import Rules
from remora.core.codegraph.values import EMPTY, MANY, Key, Owner, Values

_FAR = 1 << 30
_HOPS, _VALUES = policy.EVALUATION_HOPS, policy.EVALUATION_VALUES
_PLAIN = frozenset("?kldfgt")
"""Operations whose value follows from the row alone; looking it up would cost more than making it."""


class _TooDeep(Exception):
    """A chain of questions is longer than the stack should hold; its end is answered first, then the chain again."""

    def __init__(self, key: Key, owner: Owner) -> None:
        super().__init__()
        self.key = key
        self.owner = owner


class Fixpoint(ABC):
    """Answers questions once. `facts` gives a file's facts, `dependencies` learns which name depends on which."""

    def __init__(
        self,
        rules: Rules,
        modules: Modules,
        facts: Callable[[int], FileFacts],
        dependencies: Mapping[Owner, set[Owner]],
    ) -> None:
        self.rules = rules
        self.modules = modules
        self.facts = facts
        self.flowed = False
        """Whether what was asked since this was last set to False depends on what callers pass."""
        self.inflow: dict[tuple[int, int], Values] = {}
        self._dependencies = dependencies
        self._memo: dict[Key, Values] = {}
        self._own: dict[Key, Values] = {}
        self._origins: dict[int, Mapping[int, str]] = {}
        self._flowing: set[Key] = set()
        self._partial: dict[Key, tuple[Values, int]] = {}
        """Answers that rest on a question still open, and the place of the outermost such one."""
        self._assumed: dict[Key, Values] = {}
        self._active: dict[Key, int] = {}
        self._low = _FAR
        self._changed = False
        self._owner: Owner = (-1, "")
        self._focus = -1
        self._here = FileFacts("")

    @abstractmethod
    def plain(self, file: int, row: Any, expression: int) -> Values:
        """The value of a row that asks nothing."""

    @abstractmethod
    def compute(self, key: Key) -> Values:
        """The answer to a question, asking others on the way."""

    def focus(self, file: int, inflow: dict[tuple[int, int], Values]) -> None:
        """Look from inside `file`: its parameters hold what `inflow` says its callers pass."""
        if file == self._focus:
            for key in self._flowing:
                self._own.pop(key, None)  # one met inside of a cycle may have been dropped with it
        else:
            self._own = {}
        self._flowing.clear()
        self._focus, self.inflow, self._here = file, inflow, self.facts(file)
        self._owner = (file, "")
        self.flowed = False

    def inside(self, file: int) -> bool:
        """Whether the present question is one of the focused file about itself."""
        return file == self._focus and not self._owner[1]

    # --- asking

    def values(self, file: int, expression: int) -> Values:
        """What an expression can be, from inside when the file is in focus."""
        inside = file == self._focus and not self._owner[1]
        key = ("e", file, expression, inside)
        found = (self._own if inside else self._memo).get(key)
        if found is None:
            row = (self._here if inside else self.facts(file)).expressions[expression]
            return self.plain(file, row, expression) if row[0] in _PLAIN else self._open(key)
        if inside and key in self._flowing:
            self.flowed = True
        return found

    def ask(self, key: Key) -> Values:
        """The answer to a question, from memory or computed."""
        found = (self._own if key[3] else self._memo).get(key)
        if found is None:
            return self._open(key)
        if key[3] and key in self._flowing:
            self.flowed = True
        return found

    def _open(self, key: Key) -> Values:
        """The answer to a question that has no final one yet."""
        if key in self._partial:
            found, low = self._partial[key]
            self._low = min(self._low, low)
            if key[3] and key in self._flowing:
                self.flowed = True
            return found
        place = self._active.get(key)
        if place is not None:
            self._low = min(self._low, place)
            return self._assumed.setdefault(key, self.start(key))
        return self._answer(key) if self._active else self._root(key)

    def start(self, key: Key) -> Values:
        """What a question asked inside of its own answer begins with."""
        return {(((key[1], key[2]),), False): 0} if key[0] == "b" else EMPTY

    def _root(self, key: Key) -> Values:
        """Answer a question nobody waits for."""
        owner, flowed = self._owner, self.flowed
        try:
            return self._answer(key)
        except _TooDeep as deep:
            first = (deep.key, deep.owner)
        self._forget()
        self._owner = owner
        result = self._from_the_end(key, first)
        self._owner = owner
        self.flowed = self.flowed or flowed
        return result

    def _from_the_end(self, key: Key, first: tuple[Key, Owner]) -> Values:
        """The answer to the head of an overlong chain; `first` is where it became too long, and is answered before."""
        todo = [(key, self._owner), first]
        met = {first[0]}
        result: Values = EMPTY
        while todo:
            asked, self._owner = todo[-1]
            try:
                result = self._answer(asked)
            except _TooDeep as deep:
                self._forget()
                if deep.key in met:
                    (self._own if deep.key[3] else self._memo)[deep.key] = self.start(deep.key) or {MANY: 1}
                else:
                    met.add(deep.key)
                    todo.append((deep.key, deep.owner))
            else:
                todo.pop()
        return result

    def _forget(self) -> None:
        self._active.clear()
        self._partial.clear()
        self._assumed.clear()
        self._low, self._changed = _FAR, False

    def _answer(self, key: Key) -> Values:
        place = len(self._active)
        if place >= _HOPS:
            raise _TooDeep(key, self._owner)
        self._active[key] = place
        outer, self._low = self._low, _FAR
        flowed, self.flowed = self.flowed, False
        result = self.compute(key)
        if len(result) > _VALUES and key[0] != "t":
            result = {MANY: 1}
        if self._low == place:
            result = self._settle(key, result)
        del self._active[key]
        if self._low < place:
            if self._assumed.get(key, result) != result:
                self._assumed[key], self._changed = result, True
            self._partial[key] = result, self._low
            self._low = min(outer, self._low)
        else:
            if self._assumed:
                self._assumed.pop(key, None)
            (self._own if key[3] else self._memo)[key] = result
            self._low = outer
        if not self.flowed:
            self.flowed = flowed
        elif key[3]:
            self._flowing.add(key)
        return result

    def _settle(self, key: Key, result: Values) -> Values:
        """`key` heads a cycle: go round until nothing changes, then everything met on the way is final."""
        place = self._active[key]
        for _ in range(policy.EVALUATION_ROUNDS):
            if self._assumed.get(key, EMPTY) != result:
                self._assumed[key], self._changed = result, True
            if not self._changed:
                break
            self._changed = False
            self._drop(place)
            result = self._bounded(key)
        for inner, (values, _) in self._partial.items():
            (self._own if inner[3] else self._memo)[inner] = values
        if self.flowed:
            # What was met inside of the cycle rests on its head, so on the callers as well.
            self._flowing.update(inner for inner in self._partial if inner[3])
        self._partial.clear()
        self._assumed.clear()
        self._changed, self._low = False, _FAR
        return result

    def _drop(self, place: int) -> None:
        """Forget the answers that rest on the question at `place`."""
        for inner in [inner for inner, (_, low) in self._partial.items() if low >= place]:
            del self._partial[inner]

    def guarded(self, work: Callable[[], Values]) -> Values | None:
        """The answer of `work`, or None when it rests on the question being asked.

        Where a rule says "this, or else that", the first must not be known by itself: such a rule does not only ever
        add, so going round a cycle through it could end differently from different starts.
        """
        outer, self._low = self._low, _FAR
        before = set(self._partial)
        found = work()
        rests, self._low = self._low != _FAR, outer
        if not rests:
            return found
        for inner in [inner for inner in self._partial if inner not in before]:
            del self._partial[inner]
        return None

    def _bounded(self, key: Key) -> Values:
        found = self.compute(key)
        return found if len(found) <= _VALUES or key[0] == "t" else {MANY: 1}

    # --- crossing into other names and files

    def within(self, owner: Owner, work: Callable[[], Values]) -> Values:
        """Do `work` on behalf of another top-level name, and note that the present one depends on it."""
        before = self._owner
        self.depend(owner)
        self._owner = owner
        try:
            return work()
        finally:
            self._owner = before

    def depend(self, on: Owner) -> None:
        """Note that the present name depends on another."""
        if self._owner != on:
            self._dependencies[self._owner].add(on)

    def top(self, file: int, scope: int) -> Owner:
        """The top-level name a scope belongs to."""
        scopes = self.facts(file).scopes
        while scopes[scope].parent > 0:
            scope = scopes[scope].parent
        return (file, scopes[scope].name)
