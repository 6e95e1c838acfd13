"""The gate: one statement that only reads, with known clauses, functions and procedures; everything else is refused."""

from collections.abc import Sequence

from remora.core.cypher.tokens import Kind, Token, refused, tokens

STARTS = frozenset({"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL"})
"""What a statement and each part of a UNION may begin with."""
FORBIDDEN = frozenset({
    "CREATE", "MERGE", "DELETE", "DETACH", "NODETACH", "SET", "REMOVE", "INSERT", "DROP", "ALTER", "FOREACH",
    "LOAD", "CSV", "USE", "SHOW", "EXPLAIN", "PROFILE", "TERMINATE", "GRANT", "REVOKE", "DENY", "PERIODIC",
    "COMMIT", "ROLLBACK", "BEGIN", "TRANSACTIONS", "TRANSACTION", "RENAME", "DRYRUN", "FINISH", "FILTER", "HAVING",
    "INTERSECT", "EXCEPT",
})  # fmt: skip
"""Words of writing, of other graphs and files, of plans, of dialects. A variable needs another name."""
PROCEDURES = frozenset({"db.labels", "db.propertykeys", "db.relationshiptypes"})
FUNCTIONS = frozenset({
    "abs", "all", "any", "avg", "ceil", "coalesce", "collect", "count", "elementid", "endnode", "exists",
    "floor", "head", "isempty", "keys", "labels", "last", "left", "length", "log", "log10", "lower", "ltrim",
    "max", "min", "nodes", "none", "nullif", "properties", "range", "reduce", "relationships", "replace",
    "reverse", "right", "round", "rtrim", "sign", "single", "size", "split", "sqrt", "startnode", "stdev",
    "stdevp", "substring", "sum", "tail", "toboolean", "tofloat", "tointeger", "tolower", "tostring", "toupper",
    "trim", "type", "upper", "shortestpath", "allshortestpaths", "exp", "date", "datetime", "localdatetime",
    "duration",
})  # fmt: skip
"""Functions without effects that answer alike on every engine."""
_WORDS_BEFORE_BRACKETS = frozenset({
    "MATCH", "WHERE", "AND", "OR", "XOR", "NOT", "IN", "RETURN", "WITH", "UNWIND", "AS", "BY", "THEN", "ELSE",
    "WHEN", "CASE", "DISTINCT", "CONTAINS", "IS", "LIMIT", "SKIP", "CALL", "EXISTS", "COUNT", "COLLECT", "UNION",
    "ALL",
})  # fmt: skip
_MINTED = frozenset({"id", "title", "type"})


def gated(query: str) -> tuple[Token, ...]:
    """The tokens of a query that may run. Raises `InvalidInput` that says what is allowed."""
    found = list(tokens(query))
    while found and found[-1].is_symbol(";"):
        found.pop()
    if not found:
        raise refused("is empty", "one reading statement")
    _check_words(found)
    _check_starts(found)
    for at, token in enumerate(found):
        if token.is_symbol("("):
            _check_call(found, at)
        _check_minted(found, at)
    return tuple(found)


def _check_words(found: Sequence[Token]) -> None:
    for token in found:
        if token.is_symbol(";"):
            raise refused("holds several statements", "one")
        if token.kind in (Kind.WORD, Kind.QUOTED) and token.text.strip().upper() in FORBIDDEN:
            allowed = "MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, UNION, CALL { ... }, ORDER BY, SKIP, LIMIT"
            raise refused(f"holds {token.text.strip().upper()[:20]}, which does not read this graph", allowed)


def _check_starts(found: Sequence[Token]) -> None:
    if found[0].word not in STARTS:
        raise refused(f"begins with {found[0].text[:20]!r}", ", ".join(sorted(STARTS)))
    for at, token in enumerate(found):
        if token.word == "UNION":
            after = [follower.word for follower in found[at + 1 : at + 3]]
            if not after or after[-1 if after[0] in ("ALL", "DISTINCT") else 0] not in STARTS:
                raise refused("has a UNION without a statement after it", ", ".join(sorted(STARTS)))
        if token.word == "CALL":
            _check_procedure(found, at)


def _check_procedure(found: Sequence[Token], at: int) -> None:
    """`CALL {`, `CALL (x) {` are subqueries; a name is a procedure and must be a listed one."""
    after = found[at + 1 : at + 2]
    if after and after[0].is_symbol("{", "("):
        return
    name, end = _dotted(found, at + 1)
    if name.lower() not in PROCEDURES:
        raise refused(f"calls {name[:60] or 'nothing'}", f"CALL {{ ... }} and {', '.join(sorted(PROCEDURES))}")
    if [token.is_symbol("(", ")") for token in found[end : end + 2]] == [True, False]:
        raise refused(f"gives arguments to {name}", "no arguments")


def _dotted(found: Sequence[Token], at: int) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(found) and found[at].kind in (Kind.WORD, Kind.QUOTED):
        parts.append(found[at].text)
        at += 1
        if at >= len(found) or not found[at].is_symbol("."):
            break
        at += 1
    return ".".join(parts), at


def _check_call(found: Sequence[Token], at: int) -> None:
    """What stands before an opening bracket is a keyword, a pattern or a listed function."""
    before = found[at - 1] if at else None
    if before is None or before.kind in (Kind.SYMBOL, Kind.NUMBER, Kind.TEXT, Kind.PARAM):
        return
    start = at - 1
    while start >= 2 and found[start - 1].is_symbol(".") and found[start - 2].kind in (Kind.WORD, Kind.QUOTED):
        start -= 2
    name = ".".join(token.text for token in found[start:at] if not token.is_symbol("."))
    if start >= 1 and found[start - 1].word == "CALL":
        return  # a procedure, checked as such
    if before.kind is Kind.WORD and start == at - 1 and before.word in _WORDS_BEFORE_BRACKETS:
        return
    if before.kind is not Kind.WORD or start != at - 1 or name.lower() not in FUNCTIONS:
        raise refused(f"calls {name[:60]!r}", f"these functions: {', '.join(sorted(FUNCTIONS))}")


def _check_minted(found: Sequence[Token], at: int) -> None:
    """The engine invents id, title and type where none is stored; a real server answers null."""
    token = found[at]
    if token.kind not in (Kind.WORD, Kind.QUOTED) or token.text.lower() not in _MINTED:
        return
    before = found[at - 1] if at else None
    after = found[at + 1] if at + 1 < len(found) else None
    read = before is not None and before.is_symbol(".")
    written = (
        after is not None
        and after.is_symbol(":")
        and before is not None
        and before.is_symbol("{", ",")
        and _in_pattern(found, at)
    )
    if read or written:
        raise refused(f"reads a property {token.text!r}, which nothing here has", "uid, name, labels(n), type(r)")


def _in_pattern(found: Sequence[Token], at: int) -> bool:
    """Whether the map around position `at` belongs to a node or relation pattern."""
    depth = 0
    while at >= 0:
        if found[at].is_symbol("}", ")", "]"):
            depth += 1
        elif found[at].is_symbol("{") and depth == 0:
            before = found[at - 1] if at else None
            return before is not None and (before.kind in (Kind.WORD, Kind.QUOTED) or before.is_symbol("(", "["))
        elif found[at].is_symbol("{", "(", "["):
            depth -= 1
        at -= 1
    return False
