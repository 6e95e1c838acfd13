"""The key/value rule: secrets that stand behind a telling name in .env, INI, YAML, JSON, TOML, XML and code."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from remora.core.policy import REDACTION_JUDGED_CHARS, REDACTION_MAX_NESTED
from remora.core.redaction.values import (
    class_count,
    has_digit_and_letter,
    is_password,
    is_phrase,
    is_placeholder,
    is_random,
    is_reference,
    is_token,
)

_ROOTS = ("pass", "pwd", "secret", "token", "key", "cred", "psk", "auth", "pw")
_SEPARATOR = re.compile(
    r"""(?P<tail>[\w-]{0,40}+)(?P<close>\\{0,3}["'`]|)(?:\[\w{0,8}\]|\]|\))?
    (?:(?:[ \t]{0,8}:[ \t]{0,4}[&*\w][\w&'<>\[\]|?., *]{0,40}?|[ \t]{1,8}(?:string|str))?  # a type annotation
        (?P<op>[ \t]{0,40}(?:=>|:=|\?=|\+=|={1,3}|!={1,2}|:(?!:))[ \t]{0,40}(?:\n[ \t]{1,40}(?=["'`]))?)
      |(?P<pair>[ \t]{0,4},?\s{0,60}\\{0,3}["']?[A-Za-z]{0,12}[vV]alue\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4})
      |(?P<tag>[^<>\n]{0,80}>)|(?P<comma>,[ \t]{0,8}(?=\\{0,3}["'`]))|(?P<call>\([ \t]{0,4}(?=["'`]))
      |(?P<says>[ \t]{1,3}(?:(?:is|was|to|as|of|=)[ \t]{0,2}:?[ \t]{0,2}|(?=["'`])|(?=[^\s\\]{6})))
      |(?P<gap>[ \t]{1,4}(?:\\\n\s{1,8})?))
    """,
    re.VERBOSE,
)
_QUOTE = re.compile(r"""[rbfuRBFUL@$]{0,2}(\\{0,3}(?:\"\"\"|'''|["'`]))""")
_UNQUOTED = re.compile(r"(?:[^\s\"'`,;&<>|\\]++|\\(?![nrt\"'\\])){1,40}+")
_REST_OF_LINE = re.compile(r"(?:[^\s\\]++|\\(?![nrt\"'])){1,40}+(?=[ \t]*(?:[#;][^\n]{0,400})?(?:\r?\n|\\[nr]|$))")
_BLOCK = re.compile(r"[|>][+-]?\d?[ \t]*\n[ \t]{1,40}(\S{1,2000})[ \t]*(?:\n|$)")
_TAG_VALUE = re.compile(r"\s{0,40}([^\s<>]{3,2000})\s{0,40}</")
_LINE_START = re.compile(
    r"(?:^|\n|\\n)[ \t]{0,40}(?:[-#*+]{1,2}[ \t]{0,4})?(?:(?:export|set|env|setx|declare|local|arg|readonly|\$env:)"
    r"(?:[ \t]{1,4}-\w{1,3})?[ \t]{0,4})?[\"'\[]?[\w.:/-]{0,120}$",
    re.IGNORECASE,
)
_ENV_LINE = re.compile(r"(?:^|\n)[ \t]{0,20}(?:ENV|ARG|setx|SETX)[ \t]{1,4}\w{0,60}$")

_NAMES = {"password": "password", "token": "secret", "weak": "secret"}

_SAID = re.compile(r"[\"'`]?([^\s\"'`<>]{6,2000})")
_VERSION = re.compile(r"^-|^v?\d+(?:[.:]\d+)+|^\w{1,12}/|\.\w{1,4}$|^[a-z]+\d$")
_SPOKEN_KEY = re.compile(r"(?:api|access|secret|auth|account|signing|encryption) $", re.IGNORECASE)

_KEY_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD_KEY = re.compile(
    r"(?:password|passwd|passphrase|passcode|passwort|userpass|dbpass|authpass|^pass|pwd|^pw|psk)"
    r"(?:s|\d{1,3}|value|base64|b64|plain|plaintext|text|raw|old|new|current|confirm|confirmation|prod|dev|live|test"
    r"|staging|default|again|clear)?$"
)
_PASS_KEY = re.compile(
    r"^(?!.*(?:by|com|tres|over|under|sur|one|two|first|second|multi|single|render|post|pre)pass$).*pass$"
)
_TOKEN_KEY = re.compile(
    r"(?:secret|token|bearer|credentials?|creds?|jwt|authkey|(?:api|app|access|private|secret|auth|account|master|crypt"
    r"|encryption|encrypt|cipher|signing|signature|signed|sign|shared|storage|subscription|license|session|admin"
    r"|consumer|service|deploy|webhook|hmac|aes|server|function|functions|write|read|root|host|ingest|ingestion|team"
    r"|user|integration|instrumentation|customer|rest|push|vapid|salt|auth|recaptcha|captcha|maps|stripe|jwt)key)"
    r"(?:s|\d{1,3}|value|base64|b64|hex|string|raw|plain|text|old|new|current|prod|production|dev|live|test|staging"
    r"|default|primary|secondary|base)?$"
)
_PUBLIC_KEY = re.compile(
    r"(?:public|primary|foreign|cache|sort|partition|range|idempotency|dict|map|object|index|row|group|lookup|hash|hot"
    r"|shortcut|registry|translation|message|unique|composite|column|field|sorting|routing|storage|state|query|json"
    r"|host|data|item|entity|dedup|dedupe|commit|fingerprint)keys?$"
)


def assigned_secrets(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Spans (start, end, kind) of values behind telling names; `lower` is the text in lower case, same positions."""
    seen: set[int] = set()
    for root in _ROOTS:
        reach = nested = 0
        at = lower.find(root)
        while at >= 0:
            after = _SEPARATOR.match(text, at + len(root))
            if after and after.start("close") not in seen:
                seen.add(after.start("close"))
                found = _assigned(text, at, after) if nested <= REDACTION_MAX_NESTED else None
                nested = nested + 1 if at < reach else 0
                if found:
                    reach = max(reach, found.end)
                    if found.secret:
                        yield found.start, found.end, found.kind
            at = lower.find(root, at + len(root))


class _Value(NamedTuple):
    """What stands behind a name, and whether it is a secret."""

    start: int
    end: int
    kind: str
    secret: bool


def _assigned(text: str, root: int, after: re.Match[str]) -> _Value | None:
    start = _key_start(text, root)
    key = text[start : after.start("close")]
    kind = key_kind(key)
    if not kind and key.lower() == "key" and _SPOKEN_KEY.search(text, max(0, start - 12), start):
        kind = "token"
    return _value(text, start, after, kind) if kind else None


def _key_start(text: str, at: int) -> int:
    floor = max(0, at - 60)
    while at > floor and (text[at - 1].isalnum() or text[at - 1] in "_-"):
        at -= 1
    return at


@lru_cache(maxsize=4096)
def key_kind(key: str) -> str:
    """What a name says of its value: `password`, `token`, `weak` (some key), or "" for nothing secret."""
    words = [word.lower() for word in _KEY_WORD.findall(key)]
    joined = "".join(words)
    if _PASSWORD_KEY.search(joined) or (words and words[-1] == "pw") or _PASS_KEY.search(joined):
        return "password"
    if _PUBLIC_KEY.search(joined):
        return ""
    if _TOKEN_KEY.search(joined):
        return "token"
    return "weak" if (len(words) > 1 and words[-1] == "key") or words == ["auth"] else ""


def _value(text: str, start: int, after: re.Match[str], kind: str) -> _Value | None:
    at = after.end()
    if after["tag"]:
        found = _TAG_VALUE.match(text, at) if "<" in text[max(0, start - 12) : start] else None
        return _Value(*found.span(1), _NAMES[kind], _is_secret(found[1], kind, quoted=True)) if found else None
    if after["says"] or after["gap"]:
        named = text[start] == "-" or bool(_ENV_LINE.search(text, max(0, start - 90), start))
        if not named:
            bare = text[start : after.start("close")].lower() == "pass"  # a verb, more often than a name
            return _said(text, at, kind) if after["says"] and not bare else None
    quote = _QUOTE.match(text, at)
    if quote:
        return _quoted(text, quote, kind)
    return None if after["comma"] or after["call"] else _unquoted(text, start, after, kind)


def _said(text: str, at: int, kind: str) -> _Value | None:
    """Prose: `the password is X`. Only what no sentence would hold is taken."""
    found = _SAID.match(text, at)
    if not found:
        return None
    value = found[1].rstrip(".,;:!?)]}")
    if kind == "password":
        secret = len(value) >= 6 and has_digit_and_letter(value) and not is_reference(value)
        secret = secret and is_password(value, quoted=False) and not _VERSION.search(value)
    else:
        secret = len(value) >= 20 and has_digit_and_letter(value) and _is_plain_secret(value, kind, env=False)
    return _Value(found.start(1), found.start(1) + len(value), _NAMES[kind], secret)


def _quoted(text: str, quote: re.Match[str], kind: str) -> _Value:
    start = quote.end()
    end = text.find(quote[1], start, start + 2000)
    if end < 0:  # cut off, or never closed: the rest of the word
        found = _UNQUOTED.match(text, start)
        end = found.end() if found else start
    return _Value(start, end, _NAMES[kind], _is_secret(text[start:end], kind, quoted=True))


def _unquoted(text: str, start: int, after: re.Match[str], kind: str) -> _Value | None:
    at = after.end()
    if block := _BLOCK.match(text, at):
        return _Value(*block.span(1), _NAMES[kind], _is_secret(block[1], kind, quoted=True))
    alone = bool(_LINE_START.search(text, max(0, start - 140), start))
    if alone and kind == "password" and is_phrase(line := text[at : at + 200].partition("\n")[0].strip()):
        return _Value(at, at + len(line), _NAMES[kind], True)
    found = (alone and _REST_OF_LINE.match(text, at)) or _UNQUOTED.match(text, at)
    if not found:
        return None
    key, value = text[start : after.start("close")], found.group()
    if not alone or value[-1] in ",;":
        plain = _UNQUOTED.match(value)
        value = plain.group().rstrip(")]},;") if plain else ""
    if key[0] == "-" and not after["op"] and (value[:1] == "-" or value.isalpha()):
        return None  # an option without a value, or a sentence about it
    env = key[0] == "-" or (key.isupper() and (after["op"] or "").strip() == after["op"])
    return _Value(at, at + len(value), _NAMES[kind], _is_plain_secret(value, kind, env=env))


def _is_secret(value: str, kind: str, *, quoted: bool) -> bool:
    value = value[:REDACTION_JUDGED_CHARS]
    if kind == "password":
        return is_password(value, quoted=quoted) or is_phrase(value)
    if kind == "token":
        return is_token(value, quoted=quoted)
    return len(value) >= 16 and is_token(value, quoted=quoted) and is_random(value) and class_count(value) >= 2


def _is_plain_secret(value: str, kind: str, *, env: bool) -> bool:
    value = value[:REDACTION_JUDGED_CHARS]
    if is_reference(value):
        return False
    if env and value.isascii() and value.replace("-", "").isalnum() and value.islower() and not is_placeholder(value):
        least = {"password": 5, "token": 10}.get(kind, 99)
        if len(value) >= least:
            return True
    return _is_secret(value, kind, quoted=env)
