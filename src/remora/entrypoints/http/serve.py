"""Runs the server: binds, tells the CLI and the hooks by a run file, sweeps ended sessions, cleans up."""

import hmac
import ipaddress
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import uvicorn
from starlette.routing import BaseRoute

from remora import __version__
from remora.bootstrap import host_repository, new_run_files, open_directory, open_ports, with_peers
from remora.config import Settings, load, with_memory, with_store
from remora.core.clients.hook_trail import RUN_FILE, run_file
from remora.core.errors import InvalidInput, RemoraError, Unavailable
from remora.core.policy import ERASE_LOOK_SECONDS, HTTP_PORT, SERVER_TOKEN_BYTES, SWEEP_SECONDS
from remora.core.scope import Grant, operator_grant
from remora.entrypoints.http.app import build_app
from remora.entrypoints.http.guard import LOOPBACK_NAMES, Names
from remora.entrypoints.http.repositories import Repositories
from remora.entrypoints.http.site import Caller, Site
from remora.entrypoints.http.upkeep import hook_deadline_ms, keep_meanings
from remora.entrypoints.logs import set_logs
from remora.ports import DirectoryDesk, Ports
from remora.usecases.authenticate_key import authenticate_key
from remora.usecases.erase_forgotten import erase_forgotten
from remora.usecases.know_repository import know_repository
from remora.usecases.sweep_sessions import sweep_sessions

_log = logging.getLogger("remora.http")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line says. `grant` is the ceiling of every key; port 0 takes a free one.

    `hosted` names repositories without a checkout; `peers` are stores whose records are read with every repository's.
    """

    roots: Sequence[Path]
    host: str = "127.0.0.1"
    port: int = HTTP_PORT
    allow_hosts: Sequence[str] = ()
    grant: Grant = field(default_factory=operator_grant)
    profiles: tuple[str, ...] = ("core",)
    allow_memory: bool | None = None
    allow_memory_write: bool = False
    store: str | None = None
    hosted: Sequence[str] = ()
    peers: Sequence[Path] = ()


class PageDoor(Protocol):
    """The page as this server carries it: routes with an authentication of their own, and links that open it once."""

    def routes(self) -> list[BaseRoute]:
        """What it answers."""
        ...

    def link(self, credential: str) -> str:
        """A path that opens it once for whoever has the credential."""
        ...


def serve(options: Options, page: Callable[[Site], PageDoor] | None = None) -> None:
    """Serve until the process is told to end. Raises `InvalidInput` or `Unavailable` before it listens."""
    settings = with_store(with_memory(load(), options.allow_memory), options.store)
    set_logs(settings)
    desk = open_directory(settings)
    _refuse_an_open_door(options, desk)
    for root in (*options.roots, *(host_repository(settings, identity) for identity in options.hosted)):
        know_repository(desk, operator_grant(), open_ports(settings, root).checkout)
    token = desk.clock.token(SERVER_TOKEN_BYTES)
    site = site_of(settings, desk, options, token)
    door = page(site) if page else None
    app = build_app(site, Names((*LOOPBACK_NAMES, *options.allow_hosts)), door.routes() if door else ())
    deadline_ms = hook_deadline_ms(settings)
    with _listening(options) as listener, _told(desk, listener.getsockname()[1], token, deadline_ms):
        if door is not None and sys.stderr.isatty():  # anywhere else it would be a credential in a log
            sys.stderr.write(f"page: http://127.0.0.1:{listener.getsockname()[1]}{door.link(token)} (opens once)\n")
        stop = threading.Event()
        for run in (_sweep, _erase, *((keep_meanings,) if deadline_ms else ())):
            threading.Thread(target=run, args=(site.repositories, stop), daemon=True).start()
        config = uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False, proxy_headers=False, lifespan="on",
            timeout_graceful_shutdown=3,
        )  # fmt: skip
        signal.signal(signal.SIGTERM, _leave)  # uvicorn hands the signal on when it has stopped
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            stop.set()
            site.repositories.close()


def site_of(settings: Settings, desk: DirectoryDesk, options: Options, token: str) -> Site:
    """The site: the run token is the operator (under the ceiling), any other token a personal key."""
    expected = token.encode("ascii")

    def authenticate(given: str) -> Caller | None:
        if hmac.compare_digest(given.encode("utf-8"), expected):
            return Caller("run", replace(options.grant, client=""), limited=False)
        found = authenticate_key(desk, options.grant, given)
        return Caller(*found) if found else None

    def opened(root: Path) -> Ports:
        ports = open_ports(settings, root)
        return with_peers(ports, options.peers) if options.peers else ports

    return Site(
        repositories=Repositories(desk.directory.repositories, opened),
        authenticate=authenticate,
        version=__version__,
        memory=settings.allow_memory,
        memory_write=options.allow_memory_write,
        profiles=options.profiles,
    )


def _refuse_an_open_door(options: Options, desk: DirectoryDesk) -> None:
    """Beyond this machine only keys open anything, so there must be one; and the names must be told."""
    if is_loopback(options.host):
        return
    now = desk.clock.now()
    if not any(key.valid(now) for key in desk.directory.listing().keys):
        raise InvalidInput(
            "host", f"{options.host} can be reached from elsewhere, and there is no key yet",
            allowed="a loopback address, or first `remora keys create`",
        )  # fmt: skip
    if not options.allow_hosts:
        raise InvalidInput("allow-host", "is missing", allowed="the names under which clients call this server")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@contextmanager
def _listening(options: Options) -> Iterator[socket.socket]:
    host = "127.0.0.1" if options.host == "localhost" else options.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        try:
            if os.name == "posix":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, options.port))
            listener.listen(1024)
        except OSError as error:
            raise Unavailable(
                f"{host}:{options.port} cannot be bound: {error.strerror}",
                advice="another server may be running there; choose another --port",
            ) from error
        yield listener


@contextmanager
def _told(desk: DirectoryDesk, port: int, token: str, deadline_ms: int) -> Iterator[None]:
    """A run file in the home of every repository that is ready, while the block runs."""
    run_files = new_run_files()
    homes = [Path(row.home) for row in desk.directory.repositories()]
    ready = [home for home in homes if home.is_dir()]
    try:
        for home in ready:
            try:
                run_files.write(home / RUN_FILE, run_file(port, token, os.getpid(), deadline_ms=deadline_ms))
            except Unavailable as error:
                _log.warning("%s", error)
        gone = f", {len(homes) - len(ready)} not there" if len(ready) < len(homes) else ""
        many = "repository" if len(ready) == 1 else "repositories"
        sys.stderr.write(f"remora serves {len(ready)} {many} on port {port}{gone}; `remora page` opens the page\n")
        sys.stderr.flush()
        yield
    finally:
        run_files.remove()


def _leave(*_: object) -> None:
    """Unwind, so that the run files go."""
    sys.exit(0)


def _sweep(repositories: Repositories, stop: threading.Event) -> None:
    while not stop.wait(SWEEP_SECONDS / 2):
        for ports in repositories.opened():
            try:
                sweep_sessions(ports, operator_grant())
            except RemoraError as error:
                _log.warning("a sweep waits for the next round: %s", error)


def _erase(repositories: Repositories, stop: threading.Event) -> None:
    """Erase what waited long enough to be forgotten; first in every repository, as it may be from a former run."""
    for row in repositories.visible(operator_grant()):
        try:
            erase_forgotten(repositories.enter(row.id, operator_grant()), operator_grant())
        except RemoraError as error:
            _log.warning("what is due to be forgotten in %s waits: %s", row.id, error)
    wait = 1.0
    while not stop.wait(wait):
        wait = float(ERASE_LOOK_SECONDS)
        for ports in repositories.opened():
            try:
                left = erase_forgotten(ports, operator_grant()).next_seconds
            except RemoraError as error:
                _log.warning("what is due to be forgotten waits for the next round: %s", error)
                continue
            wait = min(wait, max(0.5, float(left))) if left >= 0 else wait
