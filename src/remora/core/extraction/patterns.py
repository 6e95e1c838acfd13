"""What plain statements look like, and the predicate that each kind stands for. A table: the first row that fits counts."""
# ruff: noqa: E501 -- a table reads best with a row on each line

import re
from dataclasses import dataclass
from typing import Final

PROJECT: Final = "project"
"""What `we`, `our team` and `this repository` stand for."""
_WE: Final = (
    r"(?:we(?:'ve| have|'re| are| will|'ll)?|(?:the|our|this|my) (?:team|project|repo(?:sitory)?|codebase|company|app(?:lication)?"
    r"|stack|product|org(?:ani[sz]ation)?))"
)
_ADVERB: Final = r"(?:(?:now|also|still|currently|always|only|just|already|all|both|mainly|mostly|internally|really|strongly|usually|generally|typically|finally|instead|definitely|heavily|directly|will|gets|get) )*"
_USE: Final = r"(?:us(?:e|ing)|adopt(?:ing)?|go(?:ing)? with|stick(?:ing)? (?:with|to)|switch(?:ing)? to|mov(?:e|ing) to|migrat(?:e|ing) to|keep(?:ing)?|standardi[sz](?:e|ing) on|rely(?:ing)? on)"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A clause that matches `shape` states `predicate` between its groups `s` and `o`.

    `fixed`: the subject that stands for a missing `s`. `single`: a subject has one value; a later one replaces it.
    `ends`: the statement ends an earlier `USES` of its object. `soft`: the object may hold prepositions. `phrase`: the
    object is kept as said. `user_only`: nothing that an agent says. `negated`: the clause may hold a negation.
    """

    shape: re.Pattern[str]
    predicate: str
    fixed: str = ""
    single: bool = False
    ends: bool = False
    soft: bool = False
    phrase: bool = False
    user_only: bool = False
    negated: bool = False


def _p(shape: str, predicate: str, **how: object) -> Pattern:
    return Pattern(re.compile(shape + r"$", re.IGNORECASE), predicate, **how)  # type: ignore[arg-type]


def _verb(words: str, predicate: str, **how: object) -> Pattern:
    """`S verb O` with adverbs before the verb."""
    return _p(rf"(?P<s>.{{1,70}}?) {_ADVERB}(?:{words}) (?P<o>.+)", predicate, **how)


ALIAS = re.compile(
    r"^(?P<s>(?:the |our )?[\w./ -]{2,50}?),? \(?(?:also (?:known as|called)|a\.?k\.?a\.?|formerly|nicknamed) "
    r"(?P<o>[\w./-]+(?: [\w./-]+){0,2}?)(?:\)|,|(?=\s(?:is|uses|depends|runs|lives|has|owns|calls)\b))\s*(?=\w)",
    re.IGNORECASE,
)
"""`payments-api, also known as PayCore, uses ...`: the alias, and the sentence without it."""
OWN_VALUE = re.compile(
    r"(?P<s>[\w`'./ -]{1,50}?)(?:'s|’s) (?P<a>[a-z][a-z -]{1,40}?) (?:is|are|was set to|is set to|is now|is called) (?P<o>.+)$",
    re.IGNORECASE,
)
"""`the gateway's port is 8080`: the attribute is the predicate."""
VALUE_OF = re.compile(
    r"the (?P<a>[a-z][a-z -]{1,40}?) (?:of|for|in|on) (?P<s>[\w`'./ -]{1,50}?) (?:is|are|was set to|is set to|is now) (?P<o>.+)$",
    re.IGNORECASE,
)
"""`the timeout for uploads is 30 seconds`."""
PASSIVE = re.compile(
    r"(?P<s>.{1,60}?) (?:is|are|was|were|gets?) (?P<v>[a-z]+ed|run|built|sent|driven|written|read|held|kept) by (?P<o>.+)$",
    re.IGNORECASE,
)
"""`the cache is invalidated by the publisher`: the verb is the predicate."""
ROLE_OF = re.compile(
    r"(?P<s>[\w`'./ -]{1,50}?) (?:is|are) (?:the|our|a|an) (?P<a>[a-z]+(?:[ -][a-z]+)?) (?:of|for) (?P<o>.+)$",
    re.IGNORECASE,
)
"""`Bob is the maintainer of the parser`."""
STATE = re.compile(
    r"(?P<s>.{1,60}?) (?:is|are) (?:always |now |also )?(?P<v>[a-z]+ed|built|sent|written|kept|run) "
    r"(?P<p>with|in|on|to|through|via|at|under|from|as|against) (?P<o>.+)$",
    re.IGNORECASE,
)
"""`tokens are signed with Ed25519`."""
TREATED = re.compile(
    r"we (?P<v>mock|stub|pin|vendor|cache|encrypt|monitor|lint|format|publish|version|track|log|validate|generate|document|test"
    r"|sign|scan|index|proxy|archive|trace|schedule|package|host|serve) (?P<s>[^,]{2,50}?) (?P<p>with|in|on|to|through|via|by|from|at)"
    r" (?P<o>.+)$",
    re.IGNORECASE,
)
"""`we mock TaxJar in unit tests`: the verb and its preposition are the predicate."""
ROLE = re.compile(r"(?P<s>[A-Z][\w'-]*(?: [A-Z][\w'-]*)?) is (?:the|our) (?P<o>(?:[\w-]+ ){0,4}[\w-]+)$")
"""`Sam is the on-call lead`."""
KIND_OF = re.compile(r"(?P<s>.{1,50}?) (?:is|are) (?:a|an) (?P<o>[\w.+#`/-]+(?: [\w.+#`/-]+){0,3})$", re.IGNORECASE)
"""`the frontend is a React app`; only for kinds of software or proper names."""
KIND = re.compile(
    r".*\b(?:service|app|application|library|module|package|framework|daemon|worker|job|queue|database|db|cache|proxy|gateway"
    r"|server|client|cli|tool|plugin|extension|monorepo|monolith|microservice|function|class|table|view|index|cluster|bucket"
    r"|pipeline|wrapper|fork|script|cron ?job|dashboard|endpoint|singleton|container|image|binary|crate|gem|component|dependency"
    r"|team|contractor|engineer|developer|designer|manager|customer|vendor|startup|company|bank|hospital)s?$",
    re.IGNORECASE,
)
RELATED = (TREATED, PASSIVE, STATE, ROLE_OF, ROLE, KIND_OF)
MY_VALUE = re.compile(r"my (?P<a>[a-z][a-z -]{1,30}?) is (?:called )?(?P<o>.+)$", re.IGNORECASE)
THE_VALUE = re.compile(
    r"(?P<s>(?:the |our )?[\w`'./ -]{2,50}?) (?:is|are|is now|is always|are always) (?P<o>.+)$", re.IGNORECASE
)
"""`the default branch is main`; only for subjects that hold one of the words below, or values that look like one."""
VALUED = re.compile(
    r"\b(?:version|port|branch|timeout|limit|name|owner|maintainer|language|database|framework|format|path|url|region|deadline"
    r"|default|target|tool|library|convention|style|encoding|licen[cs]e|budget|role|editor|time ?zone|threshold|size|interval"
    r"|ttl|retention|environment|cluster|namespace|bucket|queue|topic|table|schema|endpoint|host|domain|prefix|suffix|code ?name"
    r"|provider|backend|runtime|package manager|test runner|linter|formatter|orm|cache|broker|entry ?point|release|cadence"
    r"|strategy|scheme|protocol|algorithm|key length|page size|batch size|concurrency|replicas|sla|slo|locale|currency|lead|dba|cto|ceo|architect|sre|product owner|tech lead|author|sponsor|client|vendor|supplier"
    r"|contact|channel|reviewer|indentation|indent|line length|date|day|window|count|maximum|minimum|max|min|source of truth)s?$",
    re.IGNORECASE,
)
VALUE = re.compile(
    r"`[^`]+`|[\"“][^\"”]+[\"”]|.*\d.*|[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*){0,3}|[\w-]+(?:[./_:@-][\w-]+)+|[a-z]+(?:[A-Z][a-z]+)+$"
)
"""What looks like a value: code, a number, a proper name."""

BEGIN: Final = (
    _p(rf"(?:{_WE}|i) {_ADVERB}(?:decided|agreed|chose|opted) (?:not to|against) (?:{_USE} )?(?P<o>.+)", "REJECTED", fixed=PROJECT, ends=True, negated=True),
    _p(rf"{_WE} {_ADVERB}(?:rejected|ruled out|discarded|decided against|vetoed) (?P<o>.+)", "REJECTED", fixed=PROJECT, ends=True),
    _p(rf"{_WE} {_ADVERB}(?:dropped|abandoned|removed|got rid of|stopped using|retired|deprecated|moved away from) (?P<o>.+)", "DROPPED", fixed=PROJECT, ends=True),
    _p(rf"{_WE} (?:no longer use|don't use|do not use|never use|aren't using|are not using|won't use|will not use) (?P<o>.+)", "DOES_NOT_USE", fixed=PROJECT, ends=True, negated=True),
    _p(r"(?:do not|don't|never|avoid|stop) (?:ever )?(?:use|using|add|adding|introduce|introducing|call|calling|import|importing) (?P<o>.+)", "AVOIDS", fixed="User", ends=True, user_only=True, negated=True),
    _p(r"avoid (?P<o>.+)", "AVOIDS", fixed="User", ends=True, user_only=True),
    _p(r"(?:do not|don't|never) (?P<o>.+)", "NEVER", fixed="User", phrase=True, user_only=True, negated=True),
    _p(r"always (?!use\b)(?P<o>.+)", "ALWAYS", fixed="User", phrase=True, user_only=True),
    _p(rf"(?:{_WE}|i) {_ADVERB}(?:decided|agreed|chosen|opted|chose|are going|'re going) (?:to|on) {_USE} (?P<o>.+)", "USES", fixed=PROJECT),
    _p(rf"{_WE} {_ADVERB}(?:chose|picked|selected|adopted|settled on|went with|going with|go with|use|using|chosen|standardi[sz]ed on|rely on|build with|deploy with|test with) (?P<o>.+)", "USES", fixed=PROJECT),
    _p(rf"let's (?:{_USE}|choose|pick) (?P<o>.+)", "USES", fixed=PROJECT, user_only=True),
    _p(r"(?:always )?use (?P<o>.+)", "PREFERS", fixed="User", user_only=True),
    _p(rf"{_WE} {_ADVERB}(?:decided|agreed) (?:to|that) (?P<o>.+)", "DECIDED", fixed=PROJECT, phrase=True),
    _p(rf"{_WE} {_ADVERB}(?:depend on|depends on) (?P<o>.+)", "DEPENDS_ON", fixed=PROJECT),
    _p(rf"{_WE} {_ADVERB}(?:deploy|deploys|deploying|ship|host) (?:it |everything |this )?(?:to|on) (?P<o>.+)", "DEPLOYS_TO", fixed=PROJECT),
    _p(rf"{_WE} (?:don't|do not|no longer|never) support (?P<o>.+)", "DOES_NOT_SUPPORT", fixed=PROJECT, negated=True),
    _p(rf"{_WE} {_ADVERB}(?:release|releases|ship|ships|deploy|deploys) (?P<o>(?:every|on|each|weekly|daily|monthly).+)", "RELEASES", fixed=PROJECT, phrase=True),
    _p(rf"{_WE} {_ADVERB}(?:target|targets|support|supports) (?P<o>.+)", "SUPPORTS", fixed=PROJECT),
    _p(rf"{_WE} {_ADVERB}(?:store|keep|put|save) (?P<s>.{{2,50}}?) (?:in|on|under|inside) (?P<o>.+)", "STORED_IN"),
    _p(rf"i {_ADVERB}(?:prefer|like|love|favou?r|want) (?!to\b|you\b|it\b|when\b|that\b|this\b)(?P<o>.+)", "PREFERS", fixed="User", user_only=True, soft=True),
    _p(rf"i {_ADVERB}(?:prefer|like|want) to (?P<o>.+)", "PREFERS", fixed="User", phrase=True, user_only=True),
    _p(r"(?:i'd|i would) (?:much )?rather (?:use|have|keep) (?P<o>.+)", "PREFERS", fixed="User", user_only=True),
    _p(r"(?:please )?call me (?P<o>[A-Z][\w-]+)", "NAME", fixed="User", user_only=True, single=True),
    _p(r"i always (?!use\b)(?P<o>.+)", "ALWAYS", fixed="User", phrase=True, user_only=True),
    _p(rf"i {_ADVERB}(?:hate|dislike|don't like|do not like|can't stand|avoid) (?P<o>.+)", "DISLIKES", fixed="User", user_only=True, negated=True),
    _p(rf"i {_ADVERB}(?:use|work with|develop with|code in|write in) (?P<o>.+)", "USES", fixed="User", user_only=True),
    _p(rf"we {_ADVERB}(?:changed|raised|lowered|increased|reduced|bumped|set|moved|cut) (?P<s>[^,]{{2,50}}?) (?:from [^,]+? )?to (?P<o>[^,]*\d.*)", "SET_TO", single=True),
    _p(r"(?:i am|i'm) (?P<o>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+)?))", "NAME", fixed="User", user_only=True, single=True),
    _p(rf"i {_ADVERB}(?:work|am working|'m working) (?:at|for) (?P<o>.+)", "WORKS_AT", fixed="User", user_only=True, single=True),
    _p(rf"i {_ADVERB}(?:work|am working|'m working) on (?P<o>.+)", "WORKS_ON", fixed="User", user_only=True),
    _p(r"i (?:live|am based|'m based) in (?P<o>.+)", "LIVES_IN", fixed="User", user_only=True, single=True),
    _p(rf"i {_ADVERB}(?:own|maintain) (?P<o>.+)", "MAINTAINS", fixed="User", user_only=True),
    _p(r"(?:i am|i'm) (?:a|an|the) (?P<o>.+)", "IS_A", fixed="User", user_only=True),
)  # fmt: skip
"""Clauses that begin with who acts."""

SWITCH: Final = (
    re.compile(rf"{_WE} {_ADVERB}(?:switched|migrated|moved|changed|went)(?: \w+)? from (?P<old>.+?) to (?P<new>.+)$", re.IGNORECASE),
    re.compile(rf"{_WE} {_ADVERB}(?:replaced|swapped) (?P<old>.+?) (?:with|by|for) (?P<new>.+)$", re.IGNORECASE),
    re.compile(r"(?P<old>[^,]{1,60}?) (?:was|were|has been|have been|is|got) (?:replaced|superseded) (?:by|with) (?P<new>.+)$", re.IGNORECASE),
    re.compile(r"(?P<new>[^,]{1,60}?) (?:replaces|replaced|supersedes|superseded) (?P<old>.+)$", re.IGNORECASE),
)  # fmt: skip
"""One thing took another's place."""

VERBS: Final = (
    _verb("is (?:also )?known as|are (?:also )?known as|aka|a\\.k\\.a\\.|is an alias (?:of|for)|is the same as", "SAME_AS"),
    _verb("depends? (?:up)?on|rel(?:y|ies) on|(?:is|are) dependent (?:up)?on", "DEPENDS_ON"),
    _verb("(?:is|are|was) (?:built|implemented|made|based|powered|backed) (?:with|on|by|upon|on top of|using)", "BUILT_WITH"),
    _verb("(?:is|are) written in", "WRITTEN_IN"),
    _verb("(?:is|are) (?:owned|run) by", "OWNED_BY"),
    _verb("(?:is|are) maintained by", "MAINTAINED_BY"),
    _verb("(?:is|are) (?:stored|kept|saved|persisted|cached|archived) (?:in|on|under|at)", "STORED_IN"),
    _verb("(?:is|are) (?:deployed|shipped|released|published) (?:to|on|in|with|via)", "DEPLOYED_TO"),
    _p(rf"(?P<s>.{{1,70}}?) {_ADVERB}(?:happens?|occurs?|runs?|takes place|(?:is|are) (?:run|scheduled)) (?P<o>(?:every|each|on (?:the|weekdays?|weekends?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?)|at \d|daily|weekly|monthly|nightly|hourly|once|twice)\b.+)", "SCHEDULED", phrase=True),
    _verb("(?:is|are) hosted (?:on|in|at|by)|runs? (?:on|in|inside|under)", "RUNS_ON"),
    _verb("(?:is|are) (?:located|defined|implemented|found|configured|declared) (?:in|at|under)|lives? (?:in|at|under)|sits? in|resides? in", "LOCATED_IN"),
    _verb("follows?|(?:is|are) formatted (?:with|by)", "FOLLOWS"),
    _verb("(?:goes|go|flows?|passes|pass|(?:is|are) (?:routed|sent|proxied|piped|published)) (?:through|via|over)", "ROUTED_THROUGH"),
    _p(rf"(?P<s>.{{1,70}}?) {_ADVERB}(?:releases|deploys|ships|publishes) (?P<o>(?:every|each|on|at|daily|weekly|monthly|nightly)\b.+)", "RELEASES", phrase=True),
    _verb("(?:is|are) tested (?:with|by|using)", "TESTED_WITH"),
    _verb("(?:is|are|was|were) caused by", "CAUSED_BY", soft=True),
    _verb("(?:is|are) blocked (?:by|on)", "BLOCKED_BY"),
    _verb("(?:is|are) (?:part of|a part of|in)(?= the )|belongs? to", "PART_OF"),
    _verb("(?:is|are) responsible for", "RESPONSIBLE_FOR", soft=True),
    _verb("(?:is|are|was|were) (?:named|called|code-?named)", "NAMED", single=True),
    _verb("(?:is|are|was|were) (?:set|configured|pinned|changed|raised|lowered|bumped|increased|reduced) to|defaults? to", "SET_TO", single=True),
    _verb("(?:is|are) (?:limited|capped|restricted) (?:to|at)", "LIMITED_TO", single=True),
    _verb("expires? (?:in|after|on)|times? out after", "EXPIRES_AFTER", single=True),
    _verb("listens? on|(?:is|are) (?:served|exposed|reachable|available) (?:on|at)", "LISTENS_ON", single=True),
    _verb("must not|may not|must never|cannot|can't|should never", "MUST_NOT", phrase=True, negated=True),
    _verb("must(?: always)?|has to|have to|needs? to(?: always)?|should always|(?:is|are) required to", "MUST", phrase=True),
    _verb("talks? to|connects? to|communicates? with|integrates? with|speaks? to", "CONNECTS_TO"),
    _verb("publishes to|publish to|writes? to|emits? to|pushes to|sends? (?:\\w+ ){0,3}to", "WRITES_TO"),
    _verb("subscribes? to|listens? to", "SUBSCRIBES_TO"),
    _verb("reads? from|consumes?(?: \\w+)? from|pulls? from|fetches(?: \\w+)? from", "READS_FROM"),
    _verb("go(?:es)? to|(?:is|are) (?:forwarded|delivered) to", "GOES_TO"),
    _verb("stays? in", "STAYS_IN"),
    _verb("(?:is|are|sits?) behind", "BEHIND"),
    _p(r"(?P<s>.{1,50}?) (?:is|are) (?P<o>(?:at \d|every |on (?:mon|tues|wednes|thurs|fri|satur|sun)days?).*)", "SCHEDULED", phrase=True),
    _p(rf"(?P<s>.{{1,70}}?) {_ADVERB}retries (?P<o>.+)", "RETRIES", phrase=True),
    _verb("calls|invokes|calls into", "CALLS"),
    _verb("imports", "IMPORTS"),
    _verb("extends|inherits from|subclasses", "EXTENDS"),
    _verb("implements", "IMPLEMENTS"),
    _verb("requires?|needs?", "REQUIRES"),
    _verb("uses|use|(?:is|are) using", "USES"),
    _verb("owns", "OWNS"),
    _verb("maintains", "MAINTAINS"),
    _verb("leads", "LEADS"),
    _verb("reviews", "REVIEWS"),
    _verb("exposes|provides|serves|offers", "PROVIDES"),
    _verb("contains|includes", "CONTAINS"),
    _verb("causes|caused|triggers|triggered|leads to|led to", "CAUSES", soft=True),
    _verb("breaks|broke", "BREAKS"),
    _verb("blocks", "BLOCKS"),
    _verb("fixes|fixed|resolves|resolved", "FIXES", soft=True),
    _verb("supports", "SUPPORTS"),
    _verb("prefers", "PREFERS"),
    _verb("generates|produces|returns|emits", "PRODUCES"),
    _verb("validates|parses|handles|manages|schedules|encrypts|signs|authenticates|caches|indexes", "HANDLES"),
)  # fmt: skip
"""Clauses that name a subject. Longer verbs stand first."""

PURPOSE = re.compile(r"^(?P<o>.{1,80}?) (?:for|as(?: the| our| a)?) (?P<p>.{2,60})$", re.IGNORECASE)
"""`Postgres for the ledger`."""
CONTRAST = re.compile(
    r",? (?:instead of|rather than|over|not|and not|in favou?r of not) (?P<z>[^,;]{1,60})$", re.IGNORECASE
)
"""`X instead of Y`: what was not taken."""
NEGATED = re.compile(r"\b(?:not|never|no longer|without|neither|nor|cannot|no)\b|n't\b|n’t\b", re.IGNORECASE)
