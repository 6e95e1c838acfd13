"""The hook's endpoint: a client's event in, the exact bytes to print back, or 204 for silence."""

from dataclasses import replace
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response

from remora.core.errors import NotFound
from remora.core.scope import Channel
from remora.entrypoints.hook_cold import Answered, HookCall, answer, journal
from remora.entrypoints.http.endpoints import Endpoint, answering, in_thread
from remora.entrypoints.http.site import Caller, Site
from remora_hook.gate import find_home

_FOLDER_MAX_CHARS = 16_384


def hook_endpoint(site: Site) -> Endpoint:
    """Answers events of projects that the caller may read; the project is told by the folder the hook runs in."""

    async def endpoint(request: Request) -> Response:
        caller = await site.admit(request.headers)
        body = await request.body()
        call = HookCall.of(request.query_params)
        folder = request.headers.get("remora-folder", "")[:_FOLDER_MAX_CHARS]
        place = unquote(folder, errors="surrogateescape")
        done = await in_thread(lambda: _answered(site, caller, place, body, call), site.hooks)
        if not done.output:
            return Response(status_code=204)
        return Response(done.output, media_type="application/json")

    return answering(endpoint)


def _answered(site: Site, caller: Caller, folder: str, body: bytes, call: HookCall) -> Answered:
    if not site.memory:
        return Answered()
    home = find_home(folder) if folder.startswith("/") or folder[1:2] == ":" else None
    grant = caller.grant.via(Channel.HOOK, call.client[:80])
    if home is None:
        raise NotFound("no project with memory is served at this folder")
    ports = site.repositories.at_home(home, grant)
    # A path in an event is read with this server's rights, so only for who has the same anyway.
    done = answer(ports, grant, body, replace(call, own_files=not caller.limited))
    if done.skipped:
        journal(home, call, done.skipped)
    return done
