"""Objects of other people's libraries whose making matters: routers, apps, clients, channels."""

from remora.core.codegraph.boundaries.origins import origins
from remora.core.codegraph.boundaries.rules import plain_name
from remora.core.codegraph.naming import Naming
from remora.core.codegraph.values import EMPTY, Value, Values


class Tracked(Naming):
    """The part of the evaluator that follows such objects: ("O", alias, file, origin), with a name for a method."""

    def made(self, values: Values, file: int, call: int) -> Values:
        """What a call of some external things makes, of those that are followed."""
        found: Values = {}
        for value in values:
            if value[0] in ("X", "Y"):
                rule = self.rules.boundaries.maker(plain_name(value[1]))
                if rule is not None and (origin := self.origin(file, call)):
                    found[("O", rule.alias, file, origin)] = 1
            elif value[0] == "O":
                found.update(self._from_method(value, file, call))
        return found

    def _from_method(self, value: Value, file: int, call: int) -> Values:
        rule = self.rules.boundaries.objects[value[1]]
        if len(value) < 5:
            return {value: 1}
        maker = self.rules.boundaries.maker(f"{rule.alias}.{value[4]}")
        if maker is not None or value[4] in rule.groups:
            origin = self.origin(file, call)
            return {("O", (maker or rule).alias, file, origin): 1} if origin else EMPTY
        return {value[:4]: 1} if rule.chained else {("Y", f"{rule.alias}.{value[4]}"): 1}

    def origin(self, file: int, call: int) -> str:
        """The lasting name of a call; "" when it has none."""
        found = self._origins.get(file)
        if found is None:
            found = self._origins[file] = origins(self.facts(file))
        return found.get(call, "")

    def of_tracked(self, value: Value, name: str) -> Values:
        """A method of such an object."""
        return {("O", *value[1:4], f"{value[4]}.{name}" if len(value) > 4 else name): 0}

    def of_text(self, value: Value, name: str) -> Values:
        """A method of a text put together; of a sum nobody knows what it is."""
        rows = self.facts(value[1]).expressions
        told = any(rows[part][0] == "k" for part in rows[value[2]][1:])
        return {("Y", f"str.{name}"): 1} if told else EMPTY

    def of_function(self, value: Value, name: str) -> Values:
        """What every function has: ways to call it with another object, and what stands for its objects."""
        rules = self.rules
        if name in rules.invoking:
            return {value: 1}
        if name in rules.binding:
            return {("K", value, name): 1}
        return {("I", *value[1:3]): 1} if name == rules.prototype and name and value[0] == "F" else EMPTY
