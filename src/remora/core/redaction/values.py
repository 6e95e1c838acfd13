"""Judging a value: is it a secret, or a placeholder, a reference to one, a type, an identifier or a plain word?"""

import re

from remora.core.text.query import STOP_WORDS

_PLACEHOLDER_WORDS = frozenset(
    """a abc access account admin an any api app apikey apitoken application auth authorization bar basic baz bearer
    be bool boolean bytes change changeme changeit client code credential credentials db default demo docs dummy empty
    enter env environ environment example fake false field foo generated go goes guest guid header here hidden id in
    input insert int invalid is it json key keys localhost login lorem masked me missing mock my mysecret name new no
    none not null number object of old omitted one only optional or pass passphrase passwd password passwords
    paste pat placeholder postgres private prod production provided public put pwd random real redacted removed
    replace replaced required root sample secret secretkey secrets see session set some something staging str string
    stripped super supersecret test testing text the this to todo token tokens true type undefined unknown unset url
    use user userinfo username uuid valid value values var variable with wrong xx xxx xxxx xxxxx yes you your yours
    yourpassword""".split()
)
_WORD = re.compile(r"[A-Za-z]+")
_FILLER = re.compile(r"[\s*x.X•●_#=?0-]*|(.)\1{3,}|(?:1234567890|123456789|12345678|abcdef)?")
_REFERENCE = re.compile(
    r"\$[A-Za-z_{(]|%\w+%|[<{(\[]|![A-Za-z]+$|&(?:\w+$|'|mut )|@\w+\(|~/|\*\w+$|\.{1,2}/|//|\\u|\\x"
    r"|(?:process\.)?env[.:\[(]|os\.|ENV\[|System\.|secrets?[.\[]|vars?\.|self\.|this\.|config[.\[]|settings[.\[]"
    r"|data\.|module\.|local\.|vault:|arn:|ref\+|op://|file:|https?://|projects/|urn:|[A-Za-z_][\w.:>-]{0,80}[(\[]"
    r"|None\b|null\b|function\b|lambda\b|await\b|new\b|fn\b|async\b"
)
_TEMPLATE = re.compile(r"\$\{|\{\{|\$\(|%\(|<[a-z_ -]{2,40}>|%[sdr]\b|\{[A-Za-z_][\w.\[\]()!:']{0,60}\}|#\{")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*")
_PATH = re.compile(r"(?:[A-Za-z]:)?[~.]{0,2}(?:[\\/][\w.@ -]{1,40}){2,}[\\/]?")
_HEX = re.compile(r"[0-9a-fA-F]+")
_NUMBER = re.compile(r"\d+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CLASSES = (str.islower, str.isupper, str.isdigit)
_TURN = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[0-9])|(?<=[A-Z])(?=[a-z])")
_NAME_WITH_DIGIT = re.compile(r"(?i)(?:pass|pwd|token|secret|key|value|arg|self)[A-Za-z_.]*\d{0,2}[A-Za-z_.]*$")
_SYMBOL = re.compile(r"[!@#$%^&*+=?~|;]")
_UNSPEAKABLE = re.compile(r"(?i)[bcdfghjklmnpqrstvwxz]{5}|[jqxz][bcdfghjkmnpqrtvwxz]|[bcdfghjklmpqrtvwxz][jqx]")
_LONG_WORD = re.compile(r"(?=[A-Za-z]?[a-z]*[aeiouy])[A-Za-z]?[a-z]{3,}")


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for a secret: filler, `your-token-here`, `changeme`, a template variable."""
    if _FILLER.fullmatch(value) or _TEMPLATE.search(value):
        return True
    words = _WORD.findall(value.lower())
    digits = sum(map(str.isdigit, value))
    return digits == 0 and not _SYMBOL.search(value) and all(word in _PLACEHOLDER_WORDS for word in words)


def is_reference(value: str) -> bool:
    """Whether an unquoted value is read from somewhere else: a variable, a call, an environment look-up, a path."""
    return bool(_REFERENCE.match(value) or _PATH.fullmatch(value))


def turns(value: str) -> float:
    """How often the character class changes per character: about 0.6 in random base64, under 0.3 in identifiers."""
    return len(_TURN.findall(value)) / max(1, len(value) - 1)


def is_word_like(value: str) -> bool:
    """Whether most letters stand in readable words: identifiers, paths and prose do, random strings do not."""
    letters = sum(map(str.isalpha, value))
    readable = sum(len(run) for run in _LONG_WORD.findall(value) if not _UNSPEAKABLE.search(run))
    return letters > 0 and readable >= 0.6 * letters


def is_identifier(value: str) -> bool:
    """Whether the value is a name in code: two thirds of its letters in camelCase words, at most two numbers."""
    if not _IDENTIFIER.fullmatch(value) or len(_NUMBER.findall(value)) > 2:
        return False
    words = sum(len(part) for part in _CAMEL.findall(value) if len(part) > 2 and not _UNSPEAKABLE.search(part))
    return words >= 0.65 * sum(map(str.isalpha, value))


def class_count(value: str) -> int:
    """How many of lower case, upper case and digits occur."""
    return sum(any(map(test, value)) for test in _CLASSES)


def has_digit_and_letter(value: str) -> bool:
    """Whether the value mixes digits and letters."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_random(value: str) -> bool:
    """Whether the value looks drawn at random: long enough, mixed, and not made of words."""
    if len(value) < 12 or not has_digit_and_letter(value) or " " in value:
        return len(value) >= 20 and class_count(value) >= 2 and turns(value) > 0.35 and not is_word_like(value)
    if _HEX.fullmatch(value):
        return len(value) >= 16
    return not is_word_like(value) or turns(value) > 0.27


def is_password(value: str, *, quoted: bool) -> bool:
    """Whether the value of a key named like a password is one; people choose these, so little is asked of them."""
    if len(value) < 4 or is_placeholder(value) or "\n" in value:
        return False
    if " " in value:
        return False
    if _IDENTIFIER.fullmatch(value) and not any(map(str.isdigit, value)):
        plain = value.isalpha() and (value.islower() or quoted)
        return plain and len(value) >= 16
    if any(map(str.isdigit, value)):
        return len(value) >= 6 and (quoted or not _is_name_with_digit(value))
    return len(value) >= 6 and bool(_SYMBOL.search(value.rstrip("=?!:")))


def _is_name_with_digit(value: str) -> bool:
    """`password2`, `user.pwd1`: a variable, not its value."""
    return bool(_IDENTIFIER.fullmatch(value)) and bool(_NAME_WITH_DIGIT.search(value))


def is_token(value: str, *, quoted: bool) -> bool:
    """Whether the value of a key named like a secret or token is one; these are made by machines or look alike."""
    if len(value) < 8 or is_placeholder(value) or " " in value:
        return False
    if is_random(value):
        return quoted or not _looks_like_code(value)
    if not has_digit_and_letter(value):
        return quoted and len(value) >= 10 and bool(_SYMBOL.search(value.rstrip("=?!:"))) and not is_word_like(value)
    mixed = bool(_SYMBOL.search(value)) or len(value) >= 16 or sum(map(str.isdigit, value)) >= 3
    return mixed and (quoted or not _looks_like_code(value))


def _looks_like_code(value: str) -> bool:
    return bool(_IDENTIFIER.fullmatch(value)) and is_word_like(value) and turns(value) < 0.25


def is_phrase(value: str) -> bool:
    """Whether the value is a passphrase: three to eight plain words joined alike, none a word of prose."""
    words = value.split("-" if "-" in value else " ")
    if not 3 + (" " in value) <= len(words) <= 8 or any(word in STOP_WORDS | _PLACEHOLDER_WORDS for word in words):
        return False
    return all(3 <= len(word) <= 12 and word.isascii() and word.isalpha() and word.islower() for word in words)
