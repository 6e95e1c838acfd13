"""What the calls of a file expose and reach for."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from remora.core.codegraph.boundaries.endpoints import Endpoint, Made, Mount, Named, Passed, Provided, Used
from remora.core.codegraph.boundaries.objects import FILE, Callee, Objects
from remora.core.codegraph.boundaries.paths import verb_of
from remora.core.codegraph.boundaries.resources import RESOURCES
from remora.core.codegraph.boundaries.rules import BoundaryRules, CallRule, Place, plain_name
from remora.core.codegraph.boundaries.texts import HOLE, PASSED
from remora.core.codegraph.boundaries.verbs import VERBS, verb_in
from remora.core.codegraph.evaluate import argument
from remora.core.codegraph.facts import FileFacts, Site
from remora.core.codegraph.values import Value, Values

_MARKS = 3
"""Marks around the name and the place of a parameter."""
_TEXT_CHARS = 160
"""Longer texts are no addresses."""
_CHAIN = 12
"""Longer chains of calls are not followed."""
_SENT = re.compile(r"[^\s]*[/.][^\s]*")


class Calls(Objects):
    """Reads the call sites of one file."""

    def read(self, sites: Iterable[tuple[Site, Values]]) -> Iterator[Endpoint]:
        """Endpoints of sites whose callee is external."""
        for site, values in sites:
            row = self.facts.expressions[site.value]
            if not values:
                yield from self._sent(site, row)
            for callee in self._callees(values):
                if not self.rules.matters(callee.name):
                    continue
                yield from self.object(site, row, callee)
                for rule in self.rules.about(callee.name):
                    kept = rule.call.match(callee.name)
                    if kept is not None and self.applies(rule):
                        yield from self._endpoint(site, row, callee, rule, kept)

    def _sent(self, site: Site, row: Any) -> Iterator[Endpoint]:
        """A function of the tree called through a queue."""
        callee = self.facts.expressions[row[1]]
        channel = self.rules.methods.get(callee[2], "") if callee[0] == "a" else ""
        for value in self.evaluator.values(self.file, callee[1]) if channel else ():
            if value[0] == "F":
                key = self.dotted(value[1], self.evaluator.facts(value[1]).scopes[value[2]].qualified)
                yield Used(channel, self.symbol(site.scope), site.line, "", [key], [], callee[2], self.in_tests)

    def passed(self, sites: Iterable[tuple[Site, Values]]) -> Iterator[Endpoint]:
        """Texts given to functions of the tree."""
        for site, values in sites:
            row = self.facts.expressions[site.value]
            for value in values:
                if value[0] in ("F", "B"):
                    target = self.evaluator.facts(value[1]).scopes[value[2]]
                    texts: dict[str, str] = {}
                    for place in range(len(target.parameters)):
                        part = argument(target, row, place, bound=value[0] == "B")
                        text = self.texts.of(self.file, part)[0] if part and self.textual(part) else HOLE
                        texts.update(self._options(part, place))
                        if text != HOLE and len(text) <= _TEXT_CHARS and " " not in text:
                            texts[str(place)] = text
                    if texts:
                        function = (value[1], target.qualified)
                        yield Passed(self.symbol(site.scope), site.line, function, texts, self.in_tests)

    def _options(self, part: int, place: int) -> dict[str, str]:
        """The texts in an object given to a function, by place and key."""
        row = self.facts.expressions[part]
        found = {}
        for key, value in row[2:] if row[0] == "d" else ():
            named = self.facts.expressions[key]
            if named[0] == "k" and self.facts.expressions[value][0] == "k":
                found[f"{place}.{named[2]}"] = str(self.facts.expressions[value][2])
        return found

    def applies(self, rule: CallRule) -> bool:
        """Whether a rule holds in this file."""
        if rule.files and not any(fnmatchcase(f"/{self.path}", f"*/{form}") for form in rule.files):
            return False
        return not rule.imports or any(fnmatchcase(module, form) for module in self.modules for form in rule.imports)

    def _callees(self, values: Values) -> list[Callee]:
        found: dict[str, Callee] = {}
        for value in values:
            if value[0] == "O" and len(value) > 4:
                name = f"{value[1]}.{value[4]}"
                found.setdefault(name, Callee(name, value[1], [])).refs.append((value[2], value[3]))
        if found:
            return list(found.values())
        return [self._external(value[1]) for value in values if value[0] in ("X", "Y")]

    def _external(self, written: str) -> Callee:
        name = plain_name(written)
        typed = self.rules.of_type(name)
        return Callee(name, "", []) if typed is None else Callee(f"{typed[0].alias}.{typed[1]}", typed[0].alias, [])

    # --- endpoints

    def _endpoint(
        self, site: Site, row: Any, callee: Callee, rule: CallRule, kept: dict[str, str]
    ) -> Iterator[Endpoint]:
        keys = self._keys(row, rule, kept)
        if not keys:
            return
        if rule.resource:
            yield from self._resource(site, row, callee, rule, keys)
            return
        refs = callee.refs or self.around(site.scope)
        verb, keys = self._verb(site.value, row, callee.name, rule, keys)
        if not rule.provides:
            doubt = self.in_tests and not rule.tests
            yield Used(rule.channel, self.symbol(site.scope), site.line, verb, keys, refs, callee.name, doubt)
            return
        if rule.folder and not self.rooted:
            self.rooted = True
            yield Made(FILE, [rule.folder], [])
        regex = rule.form == "regex"
        for said, target, action in self._targets(site, row, rule):
            yield Provided(rule.channel, site.line, said or verb, keys, refs, target, callee.name, action, regex)

    def _resource(self, site: Site, row: Any, callee: Callee, rule: CallRule, keys: list[str]) -> Iterator[Endpoint]:
        """The usual routes of a resource, or the routes of another file."""
        refs = callee.refs or self.around(site.scope)
        if rule.resource == "include":
            part = self.argument(row, rule.verb_at[0])
            if part and self.facts.expressions[part][0] == "c" and self._includes(part):
                children = self.children(part)
                if children:
                    yield Mount(refs, keys, children)
            return
        if rule.resource == "service":
            yield from self._procedures(site, row, callee)
            return
        for verb, tail, method in RESOURCES[rule.resource]:
            for key in keys:
                path = [f"{key.strip('/')}{tail}"]
                if rule.target == "action":
                    named, action = None, f"{key.strip('/')}#{method}"
                    yield Provided("http", site.line, verb, path, refs, named, callee.name, action, False)
                    continue
                for said, target in self.handlers(row, self._key_place(rule)):
                    if said == verb and target[1].rpartition(".")[2] == method:
                        yield Provided("http", site.line, verb, path, refs, target, callee.name, "", False)

    def _procedures(self, site: Site, row: Any, callee: Callee) -> Iterator[Endpoint]:
        """A table of procedures handed over together with the service they are of."""
        if len(row[2]) < 2:
            return
        names = [plain_name(v[1]) for v in self.evaluator.values(self.file, row[2][0]) if v[0] in ("X", "Y")]
        table = self.facts.expressions[row[2][1]]
        for value in self.evaluator.values(self.file, row[2][1]):
            if value[0] == "L" and value[1] == self.file:
                table = self.facts.expressions[value[2]]
        for service in {name.removesuffix(".service").rpartition(".")[2].removesuffix("Service") for name in names}:
            for key, part in table[2:] if table[0] == "d" else ():
                for _, target in self._handling(part, 0):
                    keys = [f"{service}/{self.facts.expressions[key][2]}"]
                    yield Provided("grpc", site.line, "", keys, [], target, callee.name, "", False)

    def _includes(self, part: int) -> bool:
        return self.last_name(self.facts.expressions[part][1]) == "include"

    def _targets(self, site: Site, row: Any, rule: CallRule) -> Iterator[tuple[str, Named | None, str]]:
        """(verb, handler, its written name) of each thing a call exposes."""
        if rule.target == "action":
            yield from self._actions(row)
            return
        told = False
        for way in rule.target.split(" or "):
            for verb, named in self._ways(site, row, rule, way):
                told = True
                yield verb, named, ""
            if told:
                return

    def _ways(self, site: Site, row: Any, rule: CallRule, way: str) -> Iterator[tuple[str, Named]]:
        if way == "scope":
            yield "", (self.file, self.symbol(site.scope))
        elif way == "decorated":
            yield from (("", named) for named in self.decorated(site.value))
        else:
            yield from self.handlers(row, self._key_place(rule))

    def _actions(self, row: Any) -> Iterator[tuple[str, Named | None, str]]:
        for place in ("to", 0):
            part = self.argument(row, place)
            text = self.texts.of(self.file, part)[0] if part else ""
            if "#" in text:
                yield "", None, text
                return
        for verb, named in self.handlers(row, None):
            yield verb, named, ""
            return
        first = self.argument(row, 0)
        if first:
            yield "", None, self.texts.of(self.file, first)[0].strip("/").replace("/", "#", 1)

    def _key_place(self, rule: CallRule) -> Place | None:
        return rule.key[0] if rule.key else None

    def _keys(self, row: Any, rule: CallRule, kept: dict[str, str]) -> list[str]:
        if rule.form and rule.form != "regex":
            text = rule.form
            for word, value in kept.items():
                text = text.replace(f"<{word}>", value or "")
            return [text]
        parts = [part for place in rule.key if (part := self.argument(row, place))]
        for part in parts:
            found = self.keys_in(part) if self.textual(part) else []
            if found:
                return found
        # A route's path may be all on the object it hangs on.
        return [""] if rule.channel == "http" and rule.provides and parts else []

    def keys_in(self, part: int) -> list[str]:
        """The texts an expression gives, each of a list by itself."""
        row = self.facts.expressions[part]
        if row[0] == "l":
            return [text for item in row[2:] for text in self.texts.of(self.file, item)]
        found = self.texts.of(self.file, part)
        if found == [HOLE]:
            for value in self.evaluator.values(self.file, part):
                if value[0] == "L" and self.evaluator.facts(value[1]).expressions[value[2]][0] == "l":
                    inner = self.evaluator.facts(value[1]).expressions[value[2]]
                    return [text for item in inner[2:] for text in self.texts.of(value[1], item)]
        return found

    def _verb(self, site: int, row: Any, name: str, rule: CallRule, keys: list[str]) -> tuple[str, list[str]]:
        """The verb of a request or route, and its paths, which may begin with one."""
        if rule.channel != "http":
            return "", keys
        said = [verb_of(key) for key in keys]
        if all(verb for verb, _ in said):
            return said[0][0], [path for _, path in said]
        for place in rule.verb_at:
            part = self.argument(row, place)
            if part:
                texts = self.keys_in(part)
                if len(texts) == 1 and texts[0].startswith(PASSED):
                    return texts[0], keys
                verbs = sorted({verb_in(self._written(text, part)) for text in texts})
                return ("|".join(verbs) if all(verbs) else "*"), keys
        for place in rule.verb_at:
            marked = self._passed_option(row, place)
            if marked:
                return marked, keys
        return self._verb_said(site, row, name, rule), keys

    def _passed_option(self, row: Any, place: Place) -> str:
        """The mark of an option in an object that the function around was given and hands on, whole or spread."""
        for part in row[2] if isinstance(place, str) else ():
            inner = self.facts.expressions[part]
            spread = [value for key, value in inner[2:] if not key] if inner[0] == "d" else [part]
            for item in spread:
                text = self.texts.of(self.file, item if inner[0] != "d" else self.facts.expressions[item][1])[0]
                if text.startswith(PASSED) and text.count(PASSED) == _MARKS and part != (row[2] or (0,))[0]:
                    return f"{text[:-1]}.{place}{PASSED}"
        return ""

    def _written(self, text: str, part: int) -> str:
        """A verb as text, or as the last name of a constant (`HttpMethod.GET`)."""
        return self.last_name(part) if text == HOLE else text

    def _verb_said(self, site: int, row: Any, name: str, rule: CallRule) -> str:
        if rule.verb == "name":
            return verb_in(name.rpartition(".")[2]) or "*"
        if rule.verb == "class":
            return verb_in(name.split(".")[-2]) or "*"
        if rule.verb == "before":
            return self._verb_before(row)
        if rule.verb in ("after", "methods"):
            return self._verb_after(site, "GET" if rule.verb == "after" else "*")
        return rule.verb or "*"

    def _verb_before(self, row: Any) -> str:
        """The verb in the chain of calls that leads to this one."""
        for _ in range(_CHAIN):
            callee = self.facts.expressions[row[1]]
            if callee[0] != "a":
                break
            row = self.facts.expressions[callee[1]]
            if row[0] != "c":
                break
            if self.last_name(row[1]).upper() in VERBS:
                return self.last_name(row[1]).upper()
        return "*"

    def _verb_after(self, call: int, otherwise: str) -> str:
        """The verb in the chain of calls that goes on from this one."""
        if self.later is None:
            self.later = {}
            rows = self.facts.expressions
            for index, row in enumerate(rows):
                if row[0] == "c" and rows[row[1]][0] == "a":
                    self.later.setdefault(rows[row[1]][1], index)
        for _ in range(_CHAIN):
            found = self.later.get(call)
            if found is None:
                break
            call, row = found, self.facts.expressions[found]
            name = self.last_name(row[1])
            if name.upper() in VERBS:
                return name.upper()
            if name.lower() in ("method", "methods") and row[2]:
                verbs = sorted({verb_in(self._written(text, part)) for part in row[2] for text in self.keys_in(part)})
                return "|".join(filter(None, verbs)) or otherwise
        return otherwise


def concerns(rules: BoundaryRules, value: Value) -> bool:
    """Whether a called value may be of interest; quick, as it is asked of every external call."""
    return value[0] == "O" or rules.concerns(value[1])


def passes(facts: FileFacts, row: Any) -> bool:
    """Whether a call of a function of the tree gives it a text that may be sent on."""
    rows = facts.expressions
    for part in (*row[2], *(value for _, value in row[3])):
        given = rows[part]
        if given[0] == "n" and len(given) == 2:
            given = rows[facts.bindings[given[1]].value]
        if given[0] in ("t", "p") or (given[0] == "k" and given[1] == "str" and _SENT.fullmatch(given[2])):
            return True
    return False
