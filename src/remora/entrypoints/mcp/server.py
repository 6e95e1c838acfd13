"""Builds the SDK's low-level server from catalogue operations: list, call, errors that say how to correct the call."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from remora.core.errors import RemoraError, unusable
from remora.core.policy import CALL_DEADLINE_SECONDS
from remora.core.recall.notice import contained
from remora.core.schema import checked
from remora.core.scope import Channel, Grant
from remora.core.sessions import SessionRef
from remora.core.text import clean
from remora.entrypoints.catalogue.operation import Answer, Call, Operation
from remora.entrypoints.mcp import prompts, resources
from remora.entrypoints.mcp.instructions import INSTRUCTIONS

if TYPE_CHECKING:
    from remora.ports import Ports

_log = logging.getLogger("remora.mcp")


@dataclass(frozen=True, slots=True)
class Backend:
    """What tools run on: opens the ports once, on the first call, so that listing tools costs nothing."""

    ports: Callable[[], Ports]
    grant: Grant
    own_session: Callable[[Grant], SessionRef] = lambda grant: SessionRef()
    memory: bool = True
    identity: SessionRef = field(default_factory=SessionRef)


def build_server(
    operations: Sequence[Operation], backend: Backend | Callable[[Any], Backend], version: str
) -> Server[Any]:
    """A server that offers exactly these operations, in this order. Over HTTP the backend is found by each request."""
    tools = [_tool(operation) for operation in operations]
    by_name = {operation.name: operation for operation in operations}

    async def list_tools(
        ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        operation = by_name.get(params.name)
        if operation is None:
            known = ", ".join(by_name)
            return _failed("unknown_tool", f"tool {clean(params.name)[:80]!r} is not offered; offered: {known}")
        chosen, grant = caller(ctx)
        return await _run(operation, chosen, grant, params.arguments)

    def caller(ctx: ServerRequestContext[Any]) -> tuple[Backend, Grant]:
        chosen = backend if isinstance(backend, Backend) else backend(ctx.request)
        return chosen, chosen.grant.via(Channel.MCP, _client_name(ctx))

    async def read_resource(
        ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await _read(str(params.uri), *caller(ctx))

    return Server(
        "remora", version=version, title="Remora repository memory", instructions=INSTRUCTIONS,
        on_list_tools=list_tools, on_call_tool=call_tool, on_list_resources=_list_resources,
        on_read_resource=read_resource, on_list_prompts=_list_prompts, on_get_prompt=_get_prompt,
    )  # fmt: skip


async def _list_resources(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListResourcesResult:
    rows = [
        types.Resource(uri=offer.uri, name=offer.name, description=offer.description, mime_type=offer.mime_type)
        for offer in resources.OFFERS
    ]
    return types.ListResourcesResult(resources=rows)


async def _read(uri: str, backend: Backend, grant: Grant) -> types.ReadResourceResult:
    def read() -> str:
        return resources.contents(uri, _call_of(backend, grant))

    try:
        with anyio.fail_after(CALL_DEADLINE_SECONDS):
            text = resources.manual(uri) or ""
            if not text:
                text = await anyio.to_thread.run_sync(read, abandon_on_cancel=True)
    except RemoraError as error:
        raise MCPError(types.INVALID_PARAMS, f"{error.code}: {error}") from error
    except TimeoutError as error:
        raise MCPError(types.INTERNAL_ERROR, f"no answer within {CALL_DEADLINE_SECONDS} s") from error
    except Exception as error:
        _log.exception("resource failed")
        raise MCPError(types.INTERNAL_ERROR, f"internal error ({type(error).__name__})") from error
    mime = next(offer.mime_type for offer in resources.OFFERS if offer.uri == uri)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=mime, text=text)])


async def _list_prompts(
    ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
) -> types.ListPromptsResult:
    rows = [
        types.Prompt(
            name=wording.name,
            title=wording.title,
            description=wording.description,
            arguments=[
                types.PromptArgument(name=name, description=meaning, required=True)
                for name, meaning in wording.arguments.items()
            ],
        )
        for wording in prompts.WORDINGS
    ]
    return types.ListPromptsResult(prompts=rows)


async def _get_prompt(ctx: ServerRequestContext[Any], params: types.GetPromptRequestParams) -> types.GetPromptResult:
    try:
        wording, text = prompts.worded(params.name, params.arguments or {})
    except RemoraError as error:
        raise MCPError(types.INVALID_PARAMS, f"{error.code}: {error}") from error
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=wording.description, messages=[message])


def _tool(operation: Operation) -> types.Tool:
    return types.Tool(
        name=operation.name,
        title=operation.title,
        description=operation.description,
        input_schema=dict(operation.input),
        output_schema=dict(operation.output),
        annotations=types.ToolAnnotations(
            read_only_hint=operation.read_only,
            destructive_hint=operation.destructive,
            idempotent_hint=operation.idempotent,
            open_world_hint=False,
        ),
    )


async def _run(
    operation: Operation, backend: Backend, grant: Grant, arguments: Mapping[str, Any] | None
) -> types.CallToolResult:
    def call() -> Answer:
        given = checked(operation.input, clean_json(arguments))
        made = _call_of(backend, grant)
        answer = operation.run(made, given)
        if operation.memory and not operation.read_only:
            made.ports.request_index(grant)
        return answer

    try:
        with anyio.fail_after(CALL_DEADLINE_SECONDS):
            answer = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
    except RemoraError as error:
        return _failed(error.code, f"{error}" + (f" Advice: {error.advice}" if error.advice else ""))
    except TimeoutError:  # before OSError, its base
        return _failed("deadline", f"no answer within {CALL_DEADLINE_SECONDS} s; ask for less or try again")
    except OSError as error:
        _log.exception("tool %s failed", operation.name)
        refused = unusable(error)
        return _failed(refused.code, f"{refused} Advice: {refused.advice}")
    except Exception as error:  # noqa: BLE001  # the door's last net: no traceback may reach a model or a user
        _log.exception("tool %s failed", operation.name)
        return _failed("internal", f"internal error ({type(error).__name__}); the server's log holds the details")
    data = strict_json(answer.data)
    return types.CallToolResult(content=[types.TextContent(text=answer.text)], structured_content=data)


def _call_of(backend: Backend, grant: Grant) -> Call:
    return Call(
        backend.ports(), grant, lambda: backend.own_session(grant), identity=backend.identity, memory=backend.memory
    )


def _failed(code: str, message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=f"{code}: {contained(message)}")], is_error=True)


def _client_name(ctx: ServerRequestContext[Any]) -> str:
    params = ctx.session.client_params
    return clean(params.client_info.name)[:80] if params else ""


def clean_json(value: Any) -> Any:
    """The value with every string cleaned (control and bidi characters, lone surrogates), keys too."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    return value


def strict_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data as strict JSON would carry it; NaN and infinities are a bug and fail here, not at the client."""
    plain: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    return plain
