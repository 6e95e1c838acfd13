"""Secrets known by where they stand: URLs, auth headers, cookies, command lines, netrc, SQL, Kubernetes secrets."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator

from remora.core.redaction.shape import Shape, shape_spans
from remora.core.redaction.values import (
    has_digit_and_letter,
    is_password,
    is_placeholder,
    is_random,
    is_reference,
    is_word_like,
)


def _chosen(value: str) -> bool:
    """A password in a place where only passwords stand: all but placeholders and references."""
    return len(value) >= 3 and not is_placeholder(value) and not is_reference(value)


def _in_url(value: str) -> bool:
    return _chosen(value) and not _PORT.match(value)


def _user_in_url(value: str) -> bool:
    return is_random(value) and not is_placeholder(value)


def _sent(value: str) -> bool:
    """A credential behind an explicit scheme."""
    if len(value) < 6 or is_placeholder(value) or is_reference(value):
        return False
    return has_digit_and_letter(value) or _is_basic(value) or (len(value) >= 16 and not is_word_like(value))


def _is_basic(value: str) -> bool:
    """Base64 of `user:password`."""
    try:
        plain = b64decode(value + "=" * (-len(value) % 4), validate=True).decode("utf-8")
    except (NotBase64, ValueError):
        return False
    user, colon, password = plain.partition(":")
    return bool(colon and user and password) and plain.isprintable()


def _argument(value: str) -> bool:
    if value.startswith("-") or is_reference(value):
        return False
    return is_password(value, quoted=True)


def _option(value: str) -> bool:
    return _argument(value) and has_digit_and_letter(value)


def _parameter(value: str) -> bool:
    return is_password(value, quoted=True) or is_random(value)


def _of_user(value: str) -> bool:
    return _chosen(value) and not value.isdecimal() and not value.startswith(("/", "\\"))


def _encoded(value: str) -> bool:
    return len(value) >= 4 and not is_placeholder(value) and not is_reference(value)


_OPEN = r"(?:\\{0,3}[\"'`])?"
_VALUE = r"(?P<value>[^\s\"'`\\<>]{3,2000})"
_PORT = re.compile(r"\d{1,5}/")
_SCHEMES = (
    r"(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|ntlm|bot|hawk|splunk|ssws|geniekey|oauth|jwt|sso-key"
    r"|privatekey|discogs|zoho-oauthtoken|klaviyo-api-key|app ?token)"
)
_TOOLS = (
    r"(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|sshpass|openssl"
    r"|redis-cli|valkey-cli|mongo|mongosh|mongodump|mongorestore|sqlcmd|bcp|7z|7za|7zz|unzip|zip|unrar|rar"
    r"|ldapsearch|ldapadd|ldapmodify|ldapwhoami|htpasswd|plink|pscp|cqlsh|rabbitmqctl|influx|kinit|xfreerdp"
    r"|evil-winrm|crackmapexec|ipmitool|clickhouse-client|snowsql"
    r"|(?:docker|podman|buildah|skopeo|helm|oras|az|cf|ibmcloud|oc)\s[^\n]*?\blogin)"
)


def _row(kind: str, literals: str, regex: str, judge: Callable[[str], bool], before: str = "") -> Shape:
    """`literals` are `|`-separated and in lower case."""
    return Shape(kind, tuple(literals.split("|")), "(?i)" + regex, before and f"(?i){before}$", judge)


CONTEXT_SHAPES = (
    _row(
        "url-password",
        "://",
        r"://[^\s:/@\"'<>]{0,200}:(?P<value>(?:[^\s\"'<>`/]|/(?!/)){1,300}?)@(?=[\w\[.$%{-])(?![^\s/\"'<>`?#@]{0,200}@)",
        _in_url,
    ),
    _row("url-token", "://", r"://(?P<value>[^\s:/@\"'<>]{12,300})@(?=[\w\[])", _user_in_url),
    _row(
        "auth-header",
        "authorization",
        rf"authorization{_OPEN}\]?\s{{0,4}}(?:=>|[:=,])\s{{0,4}}(?:[fbr](?=[\"']))?{_OPEN}(?:{_SCHEMES}\s{{1,4}})?{_VALUE}",
        _sent,
    ),
    _row("auth-header", "bearer", rf"\bbearer(?:\s{{1,4}}|%20|\+){_VALUE}", _sent),
    _row("auth-header", "basic", r"\bbasic(?:\s{1,4}|%20)(?P<value>[A-Za-z0-9+/_-]{8,600}={0,2})", _is_basic),
    _row(
        "basic-auth",
        "auth",
        rf"auth{_OPEN}\s{{0,4}}[:=]\s{{0,4}}{_OPEN}(?P<value>[A-Za-z0-9+/]{{8,600}}={{0,2}})",
        _is_basic,
    ),
    _row(
        "login",
        "-u|--user|--proxy-user|--http-user|--basic",
        r"(?<![\w-])(?:-u|--(?:proxy-|http-)?user|--basic)(?:=|[\"']?,?\s{0,4})[\"']?"
        r"[^\s:\"'/]{0,100}[:%](?P<value>[^\s\"']{3,300})",
        _of_user,
    ),
    _row(
        "argument",
        " -p| -a| -w| -k",
        rf" -[pawk]\s?{_OPEN}(?P<value>[^\s\"'`-][^\s\"'`]{{3,200}})",
        _option,
        before=rf"(?<![\w.-]){_TOOLS}(?:\.exe)?(?:\s[^\n]*+)?",
    ),
    _row(
        "piped-secret",
        "echo |printf ",
        r"(?:echo|printf)\s{1,4}(?:-n\s{1,4})?[\"'](?P<value>[^\"'\n]{4,300})[\"']\s{0,4}\|\s{0,4}[^\n|]{0,120}?"
        r"(?:\blogin\b|passwd|sudo|-stdin|--with-token|secret)",
        _argument,
    ),
    _row(
        "piped-secret",
        "<<<",
        r"<<<\s{0,4}[\"'](?P<value>[^\"'\n]{4,300})[\"']",
        _argument,
        before=r"\b(?:sudo|login|passwd|stdin|token)\b[^\n]*+",
    ),
    _row(
        "login",
        "credential|creds|login",
        r"(?:(?:credentials?|creds)(?:\s(?:are|is))?|log ?in\s(?:with|as|is))[: \t]{1,4}[\w.@-]{1,60}[ \t]?[/:][ \t]?"
        r"(?P<value>[^\s\"'`<>/]{6,200})",
        _option,
    ),
    _row("argument", "pass:", r"\bpass:(?P<value>[^\s\"'`,;]{4,200})", _argument),
    _row(
        "argument",
        "convertto-securestring",
        r"convertto-securestring\s{1,4}(?:-string\s{1,4})?[\"'](?P<value>[^\"'\n]{3,200})",
        _chosen,
    ),
    _row("netrc-password", "login", r"\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?P<value>\S{3,300})", _chosen),
    _row(
        "netrc-password",
        "machine",
        r"\bmachine\s{1,8}\S{1,200}\s{1,8}(?:\w{1,20}\s{1,8}\S{1,100}\s{1,8})?password\s{1,8}(?P<value>\S{3,300})",
        _chosen,
    ),
    _row(
        "pgpass-password",
        ":5432:|:5433:|:6432:|:6543:|:26257:|:*:",
        r":(?:\d{2,5}|\*):[\w*-]{1,64}:[\w.*-]{1,64}:(?P<value>\S{3,200})(?=\s|$)",
        _chosen,
        before=r"(?:(?<=\n)|(?<!.))[\w.*-]{1,100}",
    ),
    _row(
        "sql-password",
        "identified|password",
        r"\b(?:identified\s{1,4}(?:with\s{1,4}[\w']{1,40}\s{1,4})?(?:by|as)\s|password\s)\s{0,4}"
        r"(?:password\s{1,4})?N?'(?P<value>[^'\n ]{3,200})'",
        _chosen,
    ),
    _row(
        "url-parameter",
        "?|&|%26| sig=",
        r"(?:\?|&amp;|&|%26| )(?:[a-z_-]{0,30}(?:sig|signature|token|auth|key|secret|password|passwd|pwd|pass|hmac)"
        r"|x-amz-credential|code|jwt|assertion)(?:=|%3D)(?P<value>[A-Za-z0-9%+/=_.~!*-]{6,2000})",
        _parameter,
    ),
    _row("signature", "signature=", r"signature=(?P<value>[0-9a-f]{64}|[A-Za-z0-9+/%]{20,100}={0,2})", is_random),
)

_COOKIE = re.compile(
    rf"(?:cookies?{_OPEN}\s{{0,4}}(?:[:,]|=>)\s{{0,4}}{_OPEN}|(?:(?<=\s)-b|(?<=--)cookie)[ =]{_OPEN}"
    rf"|(?<=document\.)cookie\s{{0,4}}=\s{{0,4}}{_OPEN})(?P<pairs>[^\n\"'`\\]{{4,8000}})",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?P<name>[\w!#$%&*.^|~+-]{1,100})=(?P<value>[^;\s,]{6,4000})")
_COOKIE_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version"})
_KUBERNETES = re.compile(r"(?m)^([ \t]{0,12})(?:stringData|data):[ \t]*\n((?:\1[ \t]+[^\n]{0,8000}\n?){1,200})")
_ENTRY = re.compile(r"(?m)^[ \t]+[\w.-]{1,100}:[ \t]{0,8}[\"']?(?P<value>[^\s\"'#|>]{4,8000})")


def context_secrets(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Spans (start, end, kind) of secrets in known places; `lower` is the text in lower case, same positions."""
    yield from shape_spans(CONTEXT_SHAPES, text, lower)
    yield from _cookies(text, lower)
    if "data:" in lower and "secret" in lower:
        yield from _kubernetes(text)


def _cookies(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    for literal in ("cookie", "-b "):
        at = lower.find(literal)
        while at >= 0:
            line = _COOKIE.match(text, at)
            for pair in _PAIR.finditer(text, *line.span("pairs")) if line else ():
                if pair["name"].lower() not in _COOKIE_ATTRIBUTES and _is_cookie(pair["value"]):
                    yield *pair.span("value"), "cookie"
            at = lower.find(literal, line.end() if line else at + 1)


def _is_cookie(value: str) -> bool:
    if is_placeholder(value) or is_reference(value):
        return False
    return has_digit_and_letter(value) or not is_word_like(value)


def _kubernetes(text: str) -> Iterator[tuple[int, int, str]]:
    if not re.search(r"kind:[ \t]*[\"']?Secret\b", text):
        return
    for block in _KUBERNETES.finditer(text):
        for entry in _ENTRY.finditer(text, *block.span(2)):
            if _encoded(entry["value"]):
                yield *entry.span("value"), "kubernetes-secret"
