"""Facts from plain statements, by rules alone: what was decided, preferred, set, and what uses or depends on what.

Rules are for precision: a sentence that doubts, asks, reports or takes back states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remora.core.clients.turns import Turn
from remora.core.extraction import patterns
from remora.core.extraction.nouns import object_name, object_names, phrase, subject_name
from remora.core.extraction.patterns import PROJECT, Pattern
from remora.core.extraction.speech import CONTRADICTED, RETRACTED, UNRECORDED, clauses, is_statement, sentences
from remora.core.facts.batch import Triple
from remora.core.facts.words import SAME_AS
from remora.core.text import name_key

RULES: Final = "rules"
"""Stands where a model's name would in provenance."""
_CONFIDENCE = {"user": 0.9, "assistant": 0.7}
_PRONOUN = re.compile(r"^(?:it|they|which|this|that)\b(?=\s)", re.IGNORECASE)
_WE_SUBJECT = re.compile(
    r"(?:we|our team|the team|(?:this|the|our|my) (?:project|repo(?:sitory)?|codebase|company|app(?:lication)?|stack"
    r"|product))$",
    re.IGNORECASE,
)
_CORRECTS = re.compile(r"^(?:actually|correction|update|no)\b", re.IGNORECASE)
_DONE = re.compile(r"[a-z]+(?:ed|ing)\b")
"""What happens to a thing is no value of it."""
_VERB_FIRST = re.compile(
    r"(?:also )?(?:writes|reads|uses|depends|relies|runs|calls|stores|listens|publishes|subscribes|exposes|owns"
    r"|requires|needs|lives|talks|connects|sends|emits|consumes|imports|is|are|must|has to|maintains)\b",
    re.IGNORECASE,
)
_FOR_FIRST = re.compile(
    r"for (?P<p>[^,]{2,50}?),? (?P<rest>(?:we|i)\b.*\b(?:use|using|chose|picked)\b.+)$", re.IGNORECASE
)
_CODE = re.compile(r"\w+(?:[_.-]\w+)+")
_DIGIT = re.compile(r"\d")
_INTRODUCED = re.compile(
    r"(?:(?:new|the|our|this) )?(?:project|service|repo|repository|library|app|module|package|tool)(?: is)?"
    r"(?: called| named)?:? "
    r"[`\"']?(?P<s>[A-Za-z][\w./-]+)[`\"']?[.!]?$",
    re.IGNORECASE,
)
"""`New project: ledgerd.`: what the next `it` is about."""
_ITS = re.compile(r"its\s+", re.IGNORECASE)
_ENDED_BY = frozenset({"USES", "PREFERS", "DECIDED", "BUILT_WITH", "DEPENDS_ON"})


@dataclass(frozen=True, slots=True)
class _Fact:
    subject: str
    predicate: str
    object: str
    single: bool = False
    ends: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        return name_key(self.subject), self.predicate, name_key(self.object)


@dataclass(slots=True)
class _Said:
    """Facts of one sentence of one turn."""

    turn: int
    role: str
    facts: list[_Fact]


def rule_triples(turns: Sequence[Turn]) -> tuple[Triple, ...]:
    """Triples that the turns state outright, in order and without repeats; later words overrule earlier ones."""
    said: list[_Said] = []
    for number, turn in enumerate(turns):
        if UNRECORDED.search(turn.content):
            continue
        _hear(turn, number, said)
    found: dict[tuple[str, str, str], Triple] = {}
    for one in said:
        for fact in one.facts:
            found.setdefault(fact.key, _triple(fact, one.role))
    return tuple(found.values())


def _triple(fact: _Fact, role: str) -> Triple:
    return Triple(
        subject=fact.subject, predicate=fact.predicate, object=fact.object, confidence=_CONFIDENCE[role]
    )  # fmt: skip


def _hear(turn: Turn, number: int, said: list[_Said]) -> None:
    """Add what a turn states, after taking back what it contradicts."""
    subject, first = "", True
    for sentence in sentences(turn.content):
        if first and turn.role == "user" and CONTRADICTED.match(sentence):
            _take_back_agent(said, number)
        if RETRACTED.match(sentence):
            said += _instead(_take_back(said, number), sentence, number, turn.role)
        first = False
        if not is_statement(sentence):
            continue
        introduced = _INTRODUCED.match(sentence)
        if introduced:
            subject = introduced["s"].rstrip(".")
        facts: list[_Fact] = []
        alias = patterns.ALIAS.match(sentence)
        if alias and subject_name(alias["s"]) and object_name(alias["o"]):
            facts.append(_Fact(subject_name(alias["s"]), SAME_AS, object_name(alias["o"])))
            sentence = f"{alias['s']} {sentence[alias.end() :]}"  # noqa: PLW2901 -- the alias is told
        for clause in clauses(sentence):
            stated = list(_stated(_resolved(clause, subject, facts), turn.role))
            facts += stated
            subject = stated[0].subject if stated and stated[0].subject not in (PROJECT, "User") else subject
        if facts:
            _overrule(said, facts, corrects=bool(_CORRECTS.match(sentence)), turn=number)
            said.append(_Said(number, turn.role, facts))


def _resolved(clause: str, subject: str, facts: list[_Fact]) -> str:
    """`it uses` after a sentence about something is about that; `which uses` is about the object before; a clause that
    begins with its verb goes on about the same thing.
    """
    subject_before = facts[-1].subject if facts else ""
    own = _ITS.match(clause)
    if own and subject:
        return f"{subject}'s {clause[own.end() :]}"
    purpose = _FOR_FIRST.match(clause)
    if purpose:
        return f"{purpose['rest']} for {purpose['p']}"
    if subject_before and _VERB_FIRST.match(clause):
        return f"{subject_before} {clause}"
    match = _PRONOUN.match(clause)
    if match is None:
        return clause
    word = match[0].lower()
    named = facts[-1].object if word == "which" and facts else subject if word in ("it", "they") else ""
    return named + clause[match.end() :] if named else clause


def _take_back_agent(said: list[_Said], number: int) -> None:
    """A person who begins with `no` does not agree with the agent's turn before."""
    if said and said[-1].role == "assistant" and said[-1].turn >= number - 1:
        last = said[-1].turn
        while said and said[-1].turn == last:
            said.pop()


def _take_back(said: list[_Said], number: int) -> list[_Fact]:
    """The last statement goes; of an agent's turn before, everything. Returns what a person had said."""
    if not said:
        return []
    last = said.pop()
    while last.role == "assistant" and said and said[-1].turn == last.turn != number:
        said.pop()
    return last.facts if last.role == "user" else []


def _instead(gone: list[_Fact], sentence: str, number: int, role: str) -> list[_Said]:
    """`actually no, 7 days`: a bare value takes the place of the one that was taken back."""
    value = RETRACTED.sub("", sentence).strip(" ,.;:!-")
    if not (gone and gone[-1].single and patterns.VALUE.fullmatch(value) and len(value.split()) <= 3):
        return []
    return [_Said(number, role, [replace(gone[-1], object=value)])]


def _overrule(said: list[_Said], facts: Iterable[_Fact], *, corrects: bool, turn: int) -> None:
    """A later value replaces an earlier one; what is dropped or replaced is no longer used."""
    for fact in facts:
        subject, _, target = fact.key
        for one in said:
            near = corrects and turn - one.turn <= 2
            one.facts = [
                old
                for old in one.facts
                if old.key == fact.key
                or not (
                    (old.predicate == fact.predicate and old.key[0] == subject and (fact.single or near))
                    or (fact.ends and old.key[2] == target and old.predicate in _ENDED_BY)
                )
            ]


def _stated(clause: str, role: str) -> Iterator[_Fact]:
    """The facts of one clause: the first kind of statement that fits."""
    kinds = (_switched(clause), _begun(clause, role), _verbal(clause), _related(clause), _valued(clause, role))
    found: list[_Fact] = next((facts for kind in kinds if (facts := list(kind))), [])
    yield from found


def _switched(clause: str) -> Iterator[_Fact]:
    if patterns.NEGATED.search(clause):
        return
    for shape in patterns.SWITCH:
        match = shape.match(clause)
        if not match:
            continue
        old, new = object_name(match["old"]), object_name(match["new"])
        if _DIGIT.match(new):  # a value that changed, not a thing that took another's place
            return
        if old and new and subject_name(match["old"]):
            yield _Fact(new, "REPLACES", old)
            if clause.lower().startswith("we"):
                yield _Fact(PROJECT, "USES", new)
                yield _Fact(PROJECT, "DROPPED", old, ends=True)
            return


def _begun(clause: str, role: str) -> Iterator[_Fact]:
    for pattern in patterns.BEGIN:
        match = pattern.shape.match(clause)
        if match and not (pattern.user_only and role != "user"):
            yield from _from_match(pattern, match)
            return


def _verbal(clause: str) -> Iterator[_Fact]:
    for pattern in patterns.VERBS:
        match = pattern.shape.match(clause)
        if match is None:
            continue
        found = list(_from_match(pattern, match))
        if found:
            yield from found
            return


def _from_match(pattern: Pattern, match: re.Match[str]) -> Iterator[_Fact]:
    groups = match.groupdict()
    said, (raw, contrast) = groups.get("s") or "", _without_contrast(groups["o"])
    subject = _subject(said) if said else pattern.fixed
    negated = patterns.NEGATED.search(f"{said} {raw}") and not (pattern.negated or pattern.phrase)
    if not subject or negated:
        return
    if pattern.phrase:
        whole = phrase(groups["o"])
        if whole:
            yield _Fact(subject, pattern.predicate, whole)
    elif pattern.predicate == SAME_AS:
        other = object_name(raw)
        if other and subject != PROJECT:
            yield _Fact(subject, SAME_AS, other)
    else:
        yield from _taken(pattern, subject, raw)
        yield from _refused(pattern, subject, contrast)


def _taken(pattern: Pattern, subject: str, raw: str) -> Iterator[_Fact]:
    """The objects, and what they serve: `Postgres for the ledger`."""
    purpose = patterns.PURPOSE.match(raw) if pattern.predicate in ("USES", "PREFERS") else None
    served = object_name(purpose["p"]) if purpose and pattern.fixed else ""
    for name in object_names(purpose["o"] if purpose else raw, soft=pattern.soft):
        if name_key(name) == name_key(subject):
            continue
        yield _Fact(subject, pattern.predicate, name, pattern.single, pattern.ends)
        if served and name_key(served) != name_key(name):
            yield _Fact(served, "USES", name)


def _refused(pattern: Pattern, subject: str, contrast: str) -> Iterator[_Fact]:
    refused = object_name(contrast) if contrast and pattern.predicate in ("USES", "PREFERS") else ""
    if refused:
        yield _Fact(subject, "AVOIDS" if subject == "User" else "REJECTED", refused, ends=True)


def _without_contrast(raw: str) -> tuple[str, str]:
    match = patterns.CONTRAST.search(raw)
    return (raw[: match.start()], match["z"]) if match else (raw, "")


def _subject(raw: str) -> str:
    text = raw.strip()
    return PROJECT if _WE_SUBJECT.match(text) else subject_name(text)


def _related(clause: str) -> Iterator[_Fact]:
    """Passive verbs, roles and kinds: their words are the predicate."""
    if patterns.NEGATED.search(clause):
        return
    for shape in patterns.RELATED:
        match = shape.match(clause)
        if match is None:
            continue
        subject, target = _subject(match["s"]), object_name(match["o"])
        predicate = _relation(shape, match.groupdict(), subject, target)
        if subject and target and predicate and name_key(subject) != name_key(target):
            yield _Fact(subject, predicate, target)
            return


def _relation(shape: re.Pattern[str], groups: dict[str, str | None], subject: str, target: str) -> str:
    """The predicate, "" where the words are none of a relation."""
    verb, word = groups.get("v") or "", groups.get("p") or ""
    if shape is patterns.TREATED:
        return f"{_past(verb)}_{word}".upper()
    if shape is patterns.PASSIVE:
        return f"{verb}_BY".upper()
    if shape is patterns.STATE:
        return f"{verb}_{word}".upper()
    if shape is patterns.ROLE:
        return "IS" if patterns.VALUED.search(target) else ""
    if shape is patterns.ROLE_OF:
        role = groups.get("a") or ""
        return f"{_attribute(role)}_OF" if patterns.VALUED.search(role) and subject != PROJECT else ""
    return "IS_A" if patterns.KIND.match(target) or target[:1].isupper() else ""


def _past(verb: str) -> str:
    """`mock` as MOCKED."""
    verb = verb.upper()
    double = verb[-1] if verb in ("PIN", "STUB", "LOG", "SCAN") else ""
    return {"PROXY": "PROXIED"}.get(verb, f"{verb}{double}{'D' if verb.endswith('E') else 'ED'}")


def _valued(clause: str, role: str) -> Iterator[_Fact]:
    """An attribute with its value."""
    if patterns.NEGATED.search(clause):
        return
    for shape in (patterns.VALUE_OF, patterns.OWN_VALUE, patterns.MY_VALUE, patterns.THE_VALUE):
        match = shape.match(clause)
        if match is None:
            continue
        fact = _value_of(match.groupdict(), mine=shape is patterns.MY_VALUE, by_user=role == "user")
        if fact is not None:
            yield fact
            return


def _value_of(groups: dict[str, str | None], *, mine: bool, by_user: bool) -> _Fact | None:
    """The attribute named, or IS for a subject that is an attribute itself."""
    value, named = object_name(groups["o"] or "", soft=True), groups.get("a") or ""
    subject = ("User" if by_user else "") if mine else _subject(groups.get("s") or "")
    attribute = _attribute(named) if named else "IS"
    if named:
        fits = bool(patterns.VALUED.search(named) or patterns.VALUE.fullmatch(value))
    else:
        fits = len(value.split()) <= 4 and not _DONE.match(value)
        fits = fits and bool(patterns.VALUED.search(subject) or (_CODE.fullmatch(subject) and _DIGIT.search(value)))
    whole = value and subject and attribute and fits and name_key(subject) != name_key(value)
    return _Fact(subject, attribute, value, single=True) if whole else None


def _attribute(raw: str) -> str:
    """`page size` as a predicate."""
    words = re.findall(r"[a-z0-9]+", raw.lower())
    return "_".join(words).upper() if 1 <= len(words) <= 3 and words[0].isalpha() else ""
