"""What a commit message names: issues, reviews, people, reverted and fixed commits; without e-mail addresses."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from remora.core.records.vocabulary import Relation

_TRAILER = re.compile(
    r"^(fixes|fixed|closes|closed|resolves|resolved|bug|issue|refs?|references|see-also|related-to|related|part-of|link"
    r"|reviewed-by|acked-by|tested-by|reported-by|co-authored-by)\s*:[ \t]*(\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(
    r"\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?)[: ]\s*((?:(?:[\w.-]+/[\w.-]+)?#\d+|GH-\d+|https?://[^\s<>,;)]+)"
    r"(?:(?:,? and |, ?| )(?:(?:[\w.-]+/[\w.-]+)?#\d+|GH-\d+))*)",
    re.IGNORECASE,
)
_ISSUE = re.compile(
    r"(?P<url>https?://[^\s<>,;)\"']+)"
    r"|(?<![\w/])(?:(?P<place>[\w.-]+/[\w.-]+)?#|(?:GH|gh)-)(?P<number>\d{1,12})\b"
    r"|(?P<ticket>\bCVE-\d{4}-\d{4,9}\b|\b(?!(?:UTF|SHA|ISO|RFC|PEP|MD|TLS|GH|CVE)-)[A-Z][A-Z0-9]{1,15}-\d{1,9}\b)"
)
_COMMIT = re.compile(r"\b[0-9a-f]{7,64}\b")
_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{7,64})\b")
_PICKED = re.compile(r"\(cherry picked from commit ([0-9a-f]{7,64})\)")
_PULL = re.compile(r"^Merge pull request #(\d+) from |\(#(\d+)\)$")
_MERGE_REQUEST = re.compile(r"^See merge request (?:(\S+?/\S+?))?!(\d+)$", re.MULTILINE)
_ADDRESS = re.compile(r"[ \t]*<[^<>\s@]{1,200}@[^<>\s]{1,200}>")
_SIGNED = re.compile(r"^Signed-off-by:.*\n?", re.IGNORECASE | re.MULTILINE)
_NAME_MAX_CHARS = 100

_FIXING = ("fix", "clos", "resolv", "bug", "issue")
_PEOPLE = {
    "reviewed-by": Relation.REVIEWED_BY,
    "acked-by": Relation.REVIEWED_BY,
    "tested-by": Relation.VERIFIED_BY,
    "reported-by": Relation.MOTIVATED_BY,
    "co-authored-by": Relation.DERIVED_FROM,
}


@dataclass(frozen=True, slots=True)
class Mention:
    """Something a message names: exactly one of a commit (maybe abbreviated) and a target (an address or a name)."""

    relation: Relation
    target: str = ""
    commit: str = ""


def without_addresses(text: str) -> str:
    """The message without e-mail addresses and sign-off lines."""
    if "@" not in text:
        return text
    return _ADDRESS.sub("", _SIGNED.sub("", text))


def mentions(subject: str, body: str, identity: str) -> tuple[Mention, ...]:
    """What the message names, in order, without repeats. `identity` turns `#12` into an address."""
    if not body and "#" not in subject and "GH-" not in subject and "http" not in subject:
        return ()
    found: dict[Mention, None] = {}
    found.update(dict.fromkeys(_pulls(subject, body, identity)))
    if body:
        found.update(dict.fromkeys(_commits(body)))
        for match in _TRAILER.finditer(body) if ":" in body else ():
            found.update(dict.fromkeys(_trailer(match[1].lower(), match[2], identity)))
    for text in (subject, body):
        for match in _INLINE.finditer(text) if _names_something(text) else ():
            for target in _targets(match[1], identity):
                found[Mention(Relation.FIXED, target)] = None
    return tuple(found)


def _names_something(text: str) -> bool:
    return "#" in text or "://" in text or "GH-" in text or "gh-" in text


def _pulls(subject: str, body: str, identity: str) -> Iterator[Mention]:
    if match := _PULL.search(subject):
        yield Mention(Relation.REVIEWED_BY, _address(identity, "", match[1] or match[2], pull=True))
    if "See merge request" in body and (match := _MERGE_REQUEST.search(body)):
        yield Mention(Relation.REVIEWED_BY, _address(identity, match[1] or "", match[2], pull=True))


def _commits(body: str) -> Iterator[Mention]:
    if "This reverts" in body and (match := _REVERTS.search(body)):
        yield Mention(Relation.ROLLED_BACK_BY, commit=match[1])
    if "cherry picked" in body:
        for match in _PICKED.finditer(body):
            yield Mention(Relation.DERIVED_FROM, commit=match[1])


def _trailer(key: str, value: str, identity: str) -> Iterator[Mention]:
    if key in _PEOPLE:
        name = _ADDRESS.sub("", value).strip()[:_NAME_MAX_CHARS]
        if name and "@" not in name:
            yield Mention(_PEOPLE[key], f"person:{name}")
        return
    relation = Relation.FIXED if key.startswith(_FIXING) else Relation.MOTIVATED_BY
    targets = list(_targets(value, identity))
    for target in targets:
        yield Mention(relation, target)
    if not targets and (match := _COMMIT.match(value)) and not match[0].isdigit():
        yield Mention(relation, commit=match[0])


def _targets(text: str, identity: str) -> Iterator[str]:
    for match in _ISSUE.finditer(text):
        if match["url"]:
            yield match["url"].rstrip(".")
        elif match["ticket"]:
            yield f"issue:{match['ticket']}"
        else:
            yield _address(identity, match["place"] or "", match["number"])


def _address(identity: str, place: str, number: str, *, pull: bool = False) -> str:
    """The address of an issue or pull request as its forge writes it; `issue:12` where there is no forge."""
    if not identity.startswith("https://"):
        return ("pull:" if pull else "issue:") + (f"{place}#{number}" if place else number)
    host = identity.split("/")[2]
    base = f"https://{host}/{place}" if place else identity
    if "gitlab" in host:
        return f"{base}/-/{'merge_requests' if pull else 'issues'}/{number}"
    return f"{base}/{'pull' if pull else 'issues'}/{number}"
