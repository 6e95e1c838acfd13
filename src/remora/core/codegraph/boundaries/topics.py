"""When a message, an event or a remote procedure is the one another part means."""

import re

_WORDS = re.compile(r"[^a-z0-9]")
_AMQP = {"*": r"[^.]+", "#": ".*"}


def same_rpc(used: str, taken: str) -> bool:
    """Whether two `service/method` are one procedure: languages write the method in their own case."""
    service, _, method = used.partition("/")
    other, _, name = taken.partition("/")
    return _plain(service) == _plain(other) and _plain(method) == _plain(name)


def _plain(name: str) -> str:
    text = _WORDS.sub("", name.rpartition(".")[2].lower())
    return text.removesuffix("async") or text


def takes(channel: str, taken: str, key: str) -> bool:
    """Whether who listens to `taken` gets what is sent as `key`."""
    if taken == key:
        return bool(key)
    if channel == "celery":
        return bool(key) and (taken.endswith(f".{key}") or key.endswith(f".{taken}"))
    if channel == "amqp" and any(mark in taken for mark in "*#"):
        pattern = "".join(_AMQP.get(part, re.escape(part)) for part in re.split(r"([*#])", taken))
        return re.fullmatch(pattern, key) is not None
    if channel == "nats" and any(mark in taken for mark in "*>"):
        pattern = "".join({"*": r"[^.]+", ">": ".+"}.get(part, re.escape(part)) for part in re.split(r"([*>])", taken))
        return re.fullmatch(pattern, key) is not None
    if channel == "mqtt" and any(mark in taken for mark in "+#"):
        pattern = "".join({"+": "[^/]+", "#": ".*"}.get(part, re.escape(part)) for part in re.split(r"([+#])", taken))
        return re.fullmatch(pattern, key) is not None
    if channel == "redis" and "*" in taken:
        return re.fullmatch(".*".join(map(re.escape, taken.split("*"))), key) is not None
    return False
