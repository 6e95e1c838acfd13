"""One hook run with something to do: read the event, ask the resident server or the core, print the answer."""
# ruff: noqa: PLC0415 -- modules load where they are needed: a silent hook must not pay for the others

import time

from remora_hook import wire
from remora_hook.gate import posix, variable
from remora_hook.journal import Journal
from remora_hook.stdin import arm, read_event

Options = dict[str, str]

_DEADLINE_SECONDS = 2.0
"""Without a model; a server that has one routed says so in its run file. A prompt never waits longer."""
_SESSION_END_SECONDS = 1.0
_DEADLINE_MAX_SECONDS = 30.0
_SESSION_KEYS = (b'"session_id"', b'"sessionId"', b'"sessionID"', b'"conversation_id"')
_VALUED = ("client", "event", "mode", "url", "timeout", "shadow-log", "observe-log")
_FROM_ENVIRONMENT = ("mode", "url", "timeout", "shadow-log", "observe-log")


def run(arguments: list[str], home: str) -> None:
    """Answer one event; every way out leaves a line or a mark in the journal."""
    started = time.monotonic()
    options, ignored = parse(arguments)
    journal = Journal(home, options, started)
    place = wire.find_server(home, options)
    budget = _budget(options, place.deadline_seconds if isinstance(place, wire.Server) else 0.0)
    arm(budget, lambda: journal.skip("deadline"))
    if ignored:
        journal.note("ignored_flags", count=ignored)
    problem, event = _event(options)
    if problem:
        journal.skip(problem)
        return
    try:
        answer = _answer(event, arguments, options, place, journal, started + budget)
    except BaseException as error:  # noqa: BLE001 -- a crash below must neither reach the client nor go unseen
        journal.skip("crash", kind=type(error).__name__)
        return
    if answer is not None:
        _deliver(answer, options, home, journal)


def _event(options: Options) -> tuple[str, bytes]:
    """(reason to skip, the event)."""
    if not options.get("client") or not options.get("event"):
        return "no_client_or_event", b""
    event = read_event()
    if event is None:
        return "event_too_large", b""
    if not event.strip():
        return "no_event", b""
    if not any(key in event for key in _SESSION_KEYS):
        return "no_session_id", b""
    return "", event


def _answer(
    event: bytes, arguments: list[str], options: Options, place: "wire.Server | str", journal: Journal, until: float
) -> bytes | None:
    """The bytes to print, b"" for silence, None when it is already journalled why there are none."""
    if isinstance(place, wire.Server):
        reply = wire.ask(place, event, options, until)
        if isinstance(reply, bytes):
            return reply
        if reply != "refused":  # a server is there: asking again in this process would only wait twice
            journal.skip(reply)
            return None
        place = reply
    from remora_hook import cold

    return cold.answer(event, arguments, journal, place, until)


def _deliver(answer: bytes, options: Options, home: str, journal: Journal) -> None:
    if answer and "shadow" in options:
        journal.append(options.get("shadow-log") or home + "/cache/shadow.log", answer.rstrip() + b"\n")
    elif answer:
        try:
            _write_all(answer)
        except OSError:
            journal.skip("stdout_closed")
            return
    if options.get("observe-log"):
        journal.append(options["observe-log"], journal.observation(len(answer)))
    journal.succeed()


def _write_all(answer: bytes) -> None:
    view = memoryview(answer)
    while view:
        view = view[posix.write(1, view) :]


def parse(arguments: list[str]) -> tuple[Options, int]:
    """Options by name, with the environment below them, and how many arguments were not understood."""
    options: Options = {}
    for name in _FROM_ENVIRONMENT:
        if value := variable("REMORA_HOOK_" + name.upper().replace("-", "_")):
            options[name] = value
    ignored, at = 0, 0
    while at < len(arguments):
        name, has_value, value = arguments[at].removeprefix("--").partition("=")
        at += 1
        if not arguments[at - 1].startswith("--"):
            ignored += 1
        elif name == "shadow":
            options[name] = "1"
        elif name not in _VALUED:
            ignored += 1
        elif has_value or at < len(arguments):
            options[name] = value if has_value else arguments[at]
            at += 0 if has_value else 1
        else:
            ignored += 1
    if variable("REMORA_HOOK_SHADOW").lower() in ("1", "true", "yes", "on"):
        options["shadow"] = "1"
    return options, ignored


def _budget(options: Options, asked: float) -> float:
    """Seconds for this run: as the caller says, else as the server asks, else the default."""
    ending = options.get("event", "").lower() == "sessionend"
    try:
        wanted = float(options.get("timeout", ""))
    except ValueError:
        wanted = 0.0
    if not 0.0 < wanted <= _DEADLINE_MAX_SECONDS:
        wanted = _SESSION_END_SECONDS if ending else max(_DEADLINE_SECONDS, asked)
    return min(wanted, _DEADLINE_MAX_SECONDS)
