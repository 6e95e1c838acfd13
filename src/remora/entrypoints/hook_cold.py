"""What a client's hook event is answered with: one dispatch for the cold process and for the server's endpoint.

Loads the core, SQLite and the use case that the event needs, nothing else: a prompt waits for every import.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from remora.core.clients.catalogue import Event
from remora.core.clients.event import HookEvent, Skipped, read_event, write_context
from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError, Unavailable
from remora.core.scope import Channel, Grant, operator_grant
from remora.core.sessions import SessionRef
from remora.ports import HookPorts


@dataclass(frozen=True, slots=True)
class HookCall:
    """What the hook's command line says. In `shadow` nothing is told, so nothing is noted as told or offloaded.

    `own_files` is False for a caller who may not have the server read transcripts by name.
    """

    client: str
    event: str
    mode: str = "full"
    shadow: bool = False
    own_files: bool = True

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "HookCall":
        """From options by name, or from a query string."""
        delta = options.get("mode", "") == "delta"
        return cls(
            options.get("client", ""), options.get("event", ""), "delta" if delta else "full", "shadow" in options
        )


@dataclass(frozen=True, slots=True)
class Answered:
    """The bytes to print (b"" is silence), or the reason why there was nothing to do."""

    output: bytes = b""
    skipped: str = ""


def run(event: bytes, arguments: list[str]) -> bytes | None:
    """Answer in this process, for `remora_hook.cold`; None when the journal has a line that says why not."""
    from remora.bootstrap import open_hook_ports
    from remora.config import load
    from remora_hook.gate import find_project
    from remora_hook.session import parse

    options, _ = parse(arguments)
    folder, home = find_project()
    call = HookCall.of(options)
    try:
        settings = load()
        if not home or not settings.allow_memory:
            return b""
        ports = open_hook_ports(settings, Path(folder))
        done = answer(ports, operator_grant(Channel.HOOK, call.client), event, call)
    except RemoraError as error:  # no data folder, a repository that git refuses
        done = Answered(skipped=error.field if isinstance(error, InvalidInput) else error.code)
    if done.skipped:
        journal(home, call, done.skipped)
        return None
    return done.output


def journal(home: str, call: HookCall, reason: str) -> None:
    """A line in the home's journal; `doctor` counts them."""
    import time

    from remora_hook.journal import Journal

    Journal(home, {"client": call.client, "event": call.event}, time.monotonic()).skip(reason)


def answer(ports: HookPorts, grant: Grant, body: bytes, call: HookCall) -> Answered:
    """Dispatch one event. Everything that is expected to go wrong is a reason, never an exception."""
    try:
        event = read_event(call.client, body, call.event)
        if isinstance(event, Skipped):
            return Answered(skipped=event.reason)
        return _ANSWERS[event.event](ports, grant, event, call)
    except Conflict:
        return Answered(skipped="session_closed")
    except NotFound:
        return Answered(skipped="session_unknown")
    except InvalidInput as error:
        return Answered(skipped=f"invalid_{error.field}")
    except RemoraError as error:
        return Answered(skipped=error.code)


def _ref(event: HookEvent) -> SessionRef:
    return SessionRef(client=event.client, session_id=event.session_id)


def _start(ports: HookPorts, grant: Grant, event: HookEvent, call: HookCall) -> Answered:
    return Answered(write_context(event, _opened(ports, grant, event)))


def _opened(ports: HookPorts, grant: Grant, event: HookEvent) -> str:
    from remora.usecases.start_session import StartRequest, start_session

    compacted = event.trigger == "compact"
    request = StartRequest(client=event.client, session_id=event.session_id, compacted=compacted)
    return start_session(ports, grant, request).context


def _infuse(ports: HookPorts, grant: Grant, event: HookEvent, call: HookCall) -> Answered:
    """Deliver what bears on a prompt or a tool call. A chat whose start was missed starts here."""
    from remora.usecases.infuse import InfuseRequest, infuse
    from remora.usecases.stamp_delivery import stamp_delivery

    if not event.from_user:
        return Answered()
    tool = event.tool
    delta = call.mode == "delta" or tool is not None
    request = InfuseRequest(
        text=tool.text if tool else event.prompt,
        session=_ref(event),
        mode="delta" if delta else "full",
        files=tool.files if tool else (),
        trajectory=() if delta else _earlier(ports, event, call),
    )
    try:
        opened, found = "", infuse(ports, grant, request)
    except NotFound:
        opened, found = _opened(ports, grant, event), infuse(ports, grant, request)
    output = write_context(event, "\n".join(text for text in (opened, found.payload) if text))
    if not call.shadow and (output or not found.payload):
        stamp_delivery(ports, grant, found.receipt.session, found.receipt.delivered, delta=delta)
    return Answered(output)


def _earlier(ports: HookPorts, event: HookEvent, call: HookCall) -> tuple[str, ...]:
    """The user's turns before this one; none where the transcript cannot be read."""
    from remora.core.clients.earlier import earlier_prompts

    if not event.transcript_path or not call.own_files:
        return earlier_prompts(event, None)

    def tail(size_bytes: int) -> tuple[Iterable[bytes], int]:
        opened = ports.transcripts.tail(event.transcript_path, size_bytes)
        return opened.chunks, opened.start

    try:
        return earlier_prompts(event, tail)
    except (Unavailable, OSError):
        return ()


def _compact(ports: HookPorts, grant: Grant, event: HookEvent, call: HookCall) -> Answered:
    """What was told goes out of the chat's sight; turns that are old enough are offloaded, and so is a summary."""
    from remora.usecases.forget_delivery import forget_delivery

    forget_delivery(ports, grant, _ref(event))
    if call.shadow:
        return Answered(skipped="shadow")
    return _offload(ports, grant, event, call, at_least=1)


def _stop(ports: HookPorts, grant: Grant, event: HookEvent, call: HookCall) -> Answered:
    """Some clients tell of no compaction for a long time: what has grown old by the screenful is offloaded here."""
    from remora.core.policy import OFFLOAD_AT_STOP_CHARS

    if call.shadow or not (event.turns or event.transcript_path):
        return Answered()
    done = _offload(ports, grant, event, call, at_least=OFFLOAD_AT_STOP_CHARS)
    return Answered() if done.skipped == "nothing_new" else done


def _offload(ports: HookPorts, grant: Grant, event: HookEvent, call: HookCall, *, at_least: int) -> Answered:
    from remora.usecases.offload_transcript import OffloadTranscriptRequest, offload_transcript

    summary = event.summary if event.event is Event.POST_COMPACT else ""
    if event.event is Event.POST_COMPACT and not summary:
        return Answered(skipped="no_summary")
    request = OffloadTranscriptRequest(
        client=event.client,
        session_id=event.session_id,
        path=event.transcript_path if call.own_files else "",
        turns=event.turns,
        summary=summary,
        at_least=at_least,
    )
    done = offload_transcript(ports, grant, request)
    return Answered(skipped="" if done.job else "no_transcript" if done.skipped["no_transcript"] else "nothing_new")


def _end(ports: HookPorts, grant: Grant, event: HookEvent, call: HookCall) -> Answered:
    from remora.usecases.idle_session import idle_session

    idle_session(ports, grant, _ref(event))
    return Answered()


_ANSWERS: Mapping[Event, Callable[[HookPorts, Grant, HookEvent, HookCall], Answered]] = {
    Event.SESSION_START: _start,
    Event.PROMPT: _infuse,
    Event.TOOL: _infuse,
    Event.PRE_COMPACT: _compact,
    Event.POST_COMPACT: _compact,
    Event.STOP: _stop,
    Event.SESSION_END: _end,
}
