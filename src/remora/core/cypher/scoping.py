"""A gated query rewritten for a database with other graphs in it: every pattern is held to one graph by its label."""

from collections.abc import Sequence

from remora.core.cypher.tokens import Kind, Token, refused

_ENDS = frozenset({"WHERE", "RETURN", "WITH", "UNWIND", "UNION", "CALL", "ORDER", "SKIP", "LIMIT", "OPTIONAL", "YIELD"})
"""Words that end the pattern of a MATCH."""
_PATHS = frozenset({"SHORTESTPATH", "ALLSHORTESTPATHS"})
_KEYS = (
    "MATCH (n:{scope}) OPTIONAL MATCH (n)-[r]->() UNWIND keys(n) + coalesce(keys(r), []) AS propertyKey"
    " WITH DISTINCT propertyKey"
)
_LISTS = {
    "db.labels": ("label", "MATCH (n:{scope}) UNWIND labels(n) AS label WITH DISTINCT label WHERE {own}"),
    "db.relationshiptypes": (
        "relationshipType",
        "MATCH (:{scope})-[r]->() WITH DISTINCT type(r) AS relationshipType",
    ),
    "db.propertykeys": ("propertyKey", _KEYS),
}
"""Procedure -> (its column, the query that answers it for one graph)."""


def scoped(found: Sequence[Token], scope: str, mark: str) -> str:
    """The query over the graph whose nodes have the label `scope`; labels that begin with `mark` are not shown."""
    out: list[str] = []
    at, patterns, depth = 0, [False], 0
    while at < len(found):
        token = found[at]
        if token.is_symbol("{"):
            patterns.append(False)
        elif token.is_symbol("}") and len(patterns) > 1:
            patterns.pop()
        elif token.word == "MATCH":
            patterns[-1] = True
        elif token.word in _ENDS:
            patterns[-1] = False
        if token.word == "CALL" and _procedure(found, at):
            text, at = _listed(found, at, scope, mark)
            out.append(text)
            continue
        if token.is_symbol("[", "]"):
            depth += 1 if token.text == "[" else -1
        if patterns[-1] and not depth and _opens_node(found, at):
            text, at = _node(found, at, scope)
            out.append(text)
            continue
        if token.word == "LABELS" and at + 1 < len(found) and found[at + 1].is_symbol("("):
            text, at = _own_labels(found, at, mark)
            out.append(text)
            continue
        out.append(_text(token))
        at += 1
    return "".join(out).strip()


def _text(token: Token) -> str:
    return (" " if token.spaced else "") + (f"`{token.text}`" if token.kind is Kind.QUOTED else token.text)


def _opens_node(found: Sequence[Token], at: int) -> bool:
    """Whether a node pattern begins here, and not a path function or a group of patterns."""
    if not found[at].is_symbol("(") or (at and found[at - 1].word in _PATHS):
        return False
    return not (at + 1 < len(found) and found[at + 1].is_symbol("("))


def _node(found: Sequence[Token], at: int, scope: str) -> tuple[str, int]:
    """A node's name and labels with the scope beside them; its properties stay as they are."""
    out, at = [_text(found[at])], at + 1
    if found[at].kind in (Kind.WORD, Kind.QUOTED) and found[at].word != "WHERE":
        out.append(_text(found[at]))
        at += 1
    if not found[at].is_symbol(":"):
        return "".join(out) + f":{scope}", at
    labels: list[str] = []
    depth, at = 0, at + 1
    while at < len(found) and not (depth == 0 and (found[at].is_symbol("{", ")") or found[at].word == "WHERE")):
        depth += found[at].is_symbol("(") - found[at].is_symbol(")")
        labels.append("&" if found[at].is_symbol(":") else _text(found[at]))
        at += 1
    return "".join(out) + f":{scope}&({''.join(labels).strip()})", at


def _own_labels(found: Sequence[Token], at: int, mark: str) -> tuple[str, int]:
    depth, end = 0, at + 1
    while end < len(found):
        depth += found[end].is_symbol("(") - found[end].is_symbol(")")
        end += 1
        if not depth:
            break
    inner = "".join(map(_text, found[at:end]))
    return f" [label_ IN{'' if inner.startswith(' ') else ' '}{inner} WHERE NOT label_ STARTS WITH '{mark}']", end


def _procedure(found: Sequence[Token], at: int) -> bool:
    return at + 1 < len(found) and not found[at + 1].is_symbol("{", "(")


def _listed(found: Sequence[Token], at: int, scope: str, mark: str) -> tuple[str, int]:
    """`CALL db.labels() YIELD label` as a subquery over the one graph."""
    words = [token.text for token in found[at + 1 : at + 8]]
    name = "".join(words[:3]).lower()
    column, query = _LISTS.get(name, ("", ""))
    after = found[at + 8] if at + 8 < len(found) else None
    renamed = after is not None and (after.is_symbol(",") or after.word == "AS")
    if [word.upper() for word in words[3:6]] != ["(", ")", "YIELD"] or words[6:7] != [column] or renamed:
        raise refused(f"calls {name} in another form", f"CALL {name}() YIELD {column}")
    body = query.format(scope=scope, own=f"NOT label STARTS WITH '{mark}'")
    return f" CALL () {{ {body} RETURN {column} }}", at + 8
