"""What a person said outright: sentences and clauses of a turn, without code, quotes, questions and guesses."""
# ruff: noqa: E501 -- lists of words read best with many on a line

import re
from collections.abc import Iterator

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAG = re.compile(r"<([A-Za-z][\w-]{0,40})[^<>]{0,200}>")
_QUOTED_LINE = re.compile(r"^\s*(?:>|\|| {4,}|\t|\$ |at .*\(|File \"|[+-]{3} |@@ |\d{4}-\d\d-\d\d[T ]\d\d:)")
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bcf\.)(?<!\bapprox\.)[\"')]?\s+(?=\S)"
    r"|(?<=[a-z\d`)])\s*;\s+|\s+—\s+"
)
_SENTENCE_MAX = 400
_LEAD = re.compile(
    r"(?:(?:(?:[\w-]+ ){0,2}(?:convention|rule|policy|decision|requirement|constraint)(?=:)|ok(?:ay)?|so|right|great|yes|yeah|yep|well|and|but|also|then|note(?: that)?|fyi|remember(?: that)?|please|thanks"
    r"|for the record|just so you know|btw|by the way|to be clear|in short|as discussed|from now on|going forward|sure"
    r"|important|update|reminder|rule|policy|convention|preference|decision|decided|final decision|agreed|fact|context"
    r"|in this (?:repo(?:sitory)?|project|codebase)|here|good(?: news)?|perfect|got it|understood|confirmed|keep in mind(?: that)?"
    r"|i(?:'d| would) like you to (?:remember|know) that|you should know that|we know that|it turns out(?: that)?"
    r"|turns out(?: that)?|first(?:ly)?|second(?:ly)?|finally|one more thing|heads up|basically|specifically"
    r"|the thing is|as of (?:now|today)|actually|correction|no|nope|wait|sorry|oh)\b\s*[,:.!-]*\s+)+",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|might|may(?= (?:be|use|need|want|have|not|also|move|switch))|could"
    r"|would(?!n't)|what if|not (?:sure|certain)|unsure|uncertain|i (?:guess|suppose|wonder|doubt|assume|think|believe|bet)"
    r"|wondering|thinking (?:about|of)|consider(?:ing|ed)?|hypothetical\w*|for (?:example|instance)|e\.g|imagine|pretend"
    r"|suppos(?:e|ing)|assum(?:e|ing)|if|unless|were to|tempted|someday|eventually|at some point|in theory|theoretically"
    r"|either|whether|unclear|seems?|looks? like|appears? to|apparently|i (?:heard|read)|rumou?r\w*|joking|kidding|tbd|todo"
    r"|explor(?:e|ing)|evaluat(?:e|ing)|experiment(?:al|ing)?|prototyp(?:e|ing)|try(?:ing)?(?: out)?|toy(?:ing)? with"
    r"|play(?:ing)? with|options?|alternative(?:ly)?|propos(?:e|al|ed|ing)|suggest\w*|recommend\w*|should we|shall we|can we"
    r"|do we|used to|formerly|previously|in the past|once upon|back then|wish|hopefully|hope|ideally|potential(?:ly)?"
    r"|fictional|sample|placeholder|dummy|lorem|say(?= we)|let's say|in an? ideal|plan(?:s|ning|ned)? to|going to(?= try))\b",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:according to|(?:he|she|they|someone|somebody|people|everyone|\w+ team) (?:said|says|say|claims?|thinks?|wants?|told)"
    r"|(?:docs?|article|blog|post|readme|ticket|logs?|error|output|comment|page|prompt|file|message|email|report|tool|website"
    r"|paper|tutorial|changelog|documentation)\b[^.]{0,30}\b(?:says?|said|claims?|states?|reads|tells?|mentions?)"
    r"|ignore (?:all|any|the|previous|prior)|system prompt|you are now|quot(?:e|ing))\b",
    re.IGNORECASE,
)
UNRECORDED = re.compile(
    r"\b(?:off the record|(?:do not|don't|dont|never|please don't) (?:store|save|remember|record|memori[sz]e|write down|keep)"
    r" (?:this|that|it|any of)|keep (?:this|that|it) (?:private|secret|between us)|confidential"
    r"|(?:ignore|disregard|forget) (?:all |any )?(?:the |your )?(?:previous|prior|above|earlier) (?:instructions|prompts?|rules)|system prompt|you are now)\b",
    re.IGNORECASE,
)
"""What marks a turn of which nothing is kept: the person asks so, or somebody else's orders were pasted into it."""
RETRACTED = re.compile(
    r"^(?:(?:actually|oh|hm+|wait|sorry|no)[,.!]*\s+)*(?:scratch that|never ?mind|forget (?:that|it|what i said)|ignore that"
    r"|disregard that|strike that|undo that|i take (?:that|it) back|on second thought|no,? wait|wait,? no|actually,? no"
    r"|that(?:'s| is| was) (?:wrong|not right|incorrect|not true|a mistake|outdated|no longer true)|i was wrong|i misspoke"
    r"|my (?:mistake|bad)|we reverted (?:that|it)|we changed our minds?)\b",
    re.IGNORECASE,
)
"""The statement before does not hold."""
CONTRADICTED = re.compile(
    r"^(?:no\b(?! problem| worries)|nope\b|wrong\b|incorrect\b|not (?:quite|true|right|correct)\b|that(?:'s| is) (?:wrong|not|in)"
    r"|you(?:'re| are) wrong|actually,? (?:no|that)\b|i never said)",
    re.IGNORECASE,
)
"""How a person begins who does not agree with what the agent just said."""
_JOINT = re.compile(
    r"\s*,\s*(?:and|but|so|while|whereas|because|since|plus|then)\s+|\s+(?:but|because|since|whereas|so that|due to)\s+"
    r"|\s+and\s+(?=(?:we|i|it|they|the|our|this|my|its|all|each|every)\s)|\s*,\s*(?=which\s)|\s+\((?=which\s)"
    r"|\s*[:]\s+(?=(?:we|i|it|the|our|use)\s)"
    r"|\s+and\s+(?=(?:only|never|then|not)\s)"
    r"|\s+and\s+(?:then\s+)?(?=(?:also\s+)?(?:writes|reads|uses|depends|relies|runs|calls|stores|listens|publishes|subscribes"
    r"|exposes|owns|requires|needs|lives|talks|connects|sends|emits|consumes|imports|is|are|must|has to|maintains)\s)"
    r"|\s+and\s+(?=(?:the |our )?[\w-]+ (?:go|goes|run|runs|use|uses|is|are|lives?|depends?|owns?|calls|needs?|talks?|reads|writes)\s)"
    r"|\s*,\s*(?=(?:the |our )?[\w-]+(?: [\w-]+)? (?:runs|uses|is|are|lives|depends|owns|calls|needs|requires|talks|reads|writes|stores)\s)"
    r"|\s*,\s*(?=(?:please |always |never |don't |do not )?(?:use|prefer|run|call|write|keep|put|we|i)\s)",
    re.IGNORECASE,
)


def sentences(text: str) -> Iterator[str]:
    """Sentences of a turn without fenced code, markup, quoted and machine-made lines; questions included."""
    for raw in _without_tagged(_FENCE.sub("\n", text)).splitlines():
        if _QUOTED_LINE.match(raw):
            continue
        line = _EMPHASIS.sub("", _BULLET.sub("", raw)).strip()
        for sentence in _END.split(line):
            if 6 <= len(sentence) <= _SENTENCE_MAX and "[redacted:" not in sentence:
                yield sentence.strip()


def _without_tagged(text: str) -> str:
    """The text without `<x> ... </x>` and what is in it; a tag that is never closed stays as it is."""
    pieces: list[str] = []
    at, unclosed = 0, set[str]()
    for tag in _TAG.finditer(text):
        if tag.start() < at or tag[1] in unclosed:
            continue
        end = text.find(f"</{tag[1]}>", tag.end())
        if end < 0:
            unclosed.add(tag[1])
            continue
        pieces.append(text[at : tag.start()])
        at = end + len(tag[1]) + 3
    return "\n".join((*pieces, text[at:]))


def is_statement(sentence: str) -> bool:
    """Whether something is said outright: no question, no guess, nothing reported from elsewhere."""
    if sentence.endswith(("?", "?)", '?"', "...", "…", ":")):
        return False
    return not (_HEDGED.search(sentence) or _REPORTED.search(sentence))


def clauses(sentence: str) -> list[str]:
    """Parts of a sentence that say something by themselves, without the words that lead up to them."""
    bare = without_lead(without_lead(RETRACTED.sub("", sentence.rstrip(".!)\"' ")).lstrip(" ,.;:-")))
    return [without_lead(part) for part in _JOINT.split(bare) if part.strip()]


def without_lead(text: str) -> str:
    """The text without `okay, so` and its like."""
    return _LEAD.sub("", text.strip(), count=1) if _LEAD.match(text.strip()) else text.strip()
