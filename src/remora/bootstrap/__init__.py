"""Settings -> Ports: the only place that names concrete adapters; vendors wait inside the branch that needs them."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from remora.adapters.system import ProcessCache, SystemClock, private_key
from remora.bootstrap.stores import open_store_file, redactor, swept_store
from remora.config import Settings
from remora.core import ids, policy
from remora.core.errors import InvalidInput, RemoraError, Unavailable
from remora.core.scope import operator_grant
from remora.ports import (
    Checkout,
    ContentsIndex,
    DirectoryDesk,
    Embedder,
    Git,
    HookDesk,
    HooksPlace,
    Jobs,
    Models,
    Parser,
    Ports,
    ProjectFiles,
    RecordLog,
    RecordServer,
    RunFiles,
    SpanSource,
)

if TYPE_CHECKING:  # a hook's cold process opens its ports here and waits for each import
    from remora.adapters.offload_queue import OffloadQueue
    from remora.core.codegraph.answers import Freshness
    from remora.core.jobs import Offload
    from remora.core.scope import Grant

CACHE_FOLDER = Path(".remora") / "cache"


def cache_folder(checkout: Checkout) -> Path:
    """Where derived files of one checkout lie."""
    return checkout.home / "cache" if checkout.bare else checkout.root / CACHE_FOLDER


def open_ports(settings: Settings, folder: Path) -> Ports:
    """The ports of the repository around `folder`. Pins the repository's identity at first use; opens nothing else."""
    from remora.adapters.code_graph_file import CodeGraphFile
    from remora.adapters.communities_file import CommunitiesFile
    from remora.adapters.git.checkout import discover
    from remora.adapters.git.diff import GitDiffs
    from remora.adapters.git.reach import GitReach
    from remora.adapters.git.reader import GitReader
    from remora.adapters.graph_metrics import RustworkxMetrics
    from remora.adapters.hook_trail import HookTrailFiles
    from remora.adapters.kglite_snapshot import KgliteSnapshots
    from remora.adapters.pull_requests import GitHubPullRequests
    from remora.adapters.record_files.log import FileRecordLog
    from remora.adapters.sqlite.record_index import SqliteRecordIndex
    from remora.adapters.store_records import StoreRecordLog
    from remora.adapters.transcript_files import TranscriptFiles
    from remora.adapters.tree_sitter.parser import TreeSitterParser
    from remora.adapters.walk import SourceTree
    from remora.core.capture.documents import is_document
    from remora.core.codegraph.view import unique_symbol

    checkout = discover(folder, os.environ, clock := SystemClock())
    derived = cache_folder(checkout)
    records = StoreRecordLog(lambda: ports.store) if hosted(settings, checkout) else FileRecordLog(checkout.home)
    parser = TreeSitterParser()
    code_graph = CodeGraphFile(derived)
    embedder, unmet = open_embedder(settings)
    git = GitReader(checkout, os.environ)
    ports = Ports(
        repository=checkout.repository,
        checkout=checkout,
        clock=clock,
        redact=redactor(settings),
        open_store=lambda: swept_store(settings, checkout, clock),
        records=records,
        record_index=SqliteRecordIndex(derived / "records.sqlite3", records, reach=GitReach(checkout, os.environ)),
        git=git,
        contents=_contents(derived, git),
        sources=SourceTree(checkout.root, lambda path: bool(parser.language(path))),
        parser=parser,
        spans=parsed_spans(parser),
        code_graph=code_graph,
        freshness=lambda: refreshed(ports),
        documents=SourceTree(checkout.root, is_document),
        symbol=lambda name: unique_symbol(code_graph.read, name),
        hook_trail=HookTrailFiles(checkout.home),
        metrics=RustworkxMetrics(),
        cache=ProcessCache(),
        diffs=GitDiffs(checkout, os.environ),
        pull_requests=GitHubPullRequests(checkout.root, os.environ),
        communities=CommunitiesFile(derived),
        queries=KgliteSnapshots(),
        open_models=lambda: open_models(settings),
        transcripts=TranscriptFiles(),
        jobs=_queued_jobs(lambda: ports),
        embedder=embedder,
        request_index=_idle_indexing(lambda: ports),
        notices=(*settings.warnings, *unmet),
    )
    return ports


def _contents(derived: Path, git: Git) -> ContentsIndex:
    from remora.adapters.sqlite.contents_index import SqliteContentsIndex

    return SqliteContentsIndex(derived / "contents.sqlite3", partial(git.blobs, max_bytes=policy.CONTENT_MAX_BYTES))


def open_embedder(settings: Settings) -> tuple[Embedder | None, tuple[str, ...]]:
    """The embedder that is in use, and a notice where the one that is asked for is not there. Loads nothing."""
    from remora.adapters.local_embedder.model import LocalEmbedder, installed

    if settings.embeddings == "OFF":
        return None, ()
    routed = _routed_embedder(settings) if settings.embeddings == "AUTO" else None
    if routed is not None:
        return routed
    if installed():
        return LocalEmbedder(), ()
    wanted = settings.embeddings == "BUILTIN"
    return None, ("embeddings are asked for, but the extra `embed` is not installed",) if wanted else ()


def _routed_embedder(settings: Settings) -> tuple[Embedder | None, tuple[str, ...]] | None:
    """The provider that the models' file routes task embeddings to; None where it says nothing or says builtin."""
    path = settings.llm_config
    if path is None:
        return None
    from remora.adapters.openai_http.client import Endpoint
    from remora.adapters.openai_http.embedder import HttpEmbedder
    from remora.config import load_routes, variable
    from remora.core.models.routes import Kind, Task

    try:
        if b"embeddings" not in path.read_bytes():  # reading YAML costs every command 60 ms
            return None
        routes = load_routes(settings)
        provider = routes.provider(Task.EMBEDDINGS)
    except (OSError, RemoraError) as error:
        return None, (f"embeddings are off: {error}",)
    if provider is None or provider.kind is Kind.BUILTIN:
        return None
    return HttpEmbedder(Endpoint(provider, Task.EMBEDDINGS, routes.local_hosts, variable)), ()


def _idle_indexing(ports: Callable[[], Ports]) -> Callable[["Grant"], None]:
    """A way to ask for vectors and meanings; they are made in the background, once nobody saves."""
    from remora.adapters.idle_worker import IdleWorker

    def work(grant: "Grant", going_on: Callable[[], bool]) -> None:
        from remora.usecases.compress_meanings import compress_when_idle
        from remora.usecases.index_memory import index_when_idle

        index_when_idle(ports(), grant, going_on)
        compress_when_idle(ports(), grant, going_on)

    return IdleWorker["Grant"](work, policy.INDEX_QUIET_SECONDS).request


def open_hook_ports(settings: Settings, folder: Path) -> HookDesk:
    """The few ports of a hook's cold process, which nobody should have to wait for."""
    from remora.adapters.detached_worker import detached_worker
    from remora.adapters.git.checkout import discover
    from remora.adapters.git.reach import GitReach
    from remora.adapters.graph_metrics import RustworkxMetrics
    from remora.adapters.record_files.log import FileRecordLog
    from remora.adapters.sqlite.record_index import SqliteRecordIndex
    from remora.adapters.transcript_files import TranscriptFiles

    clock = SystemClock()
    checkout = discover(folder, os.environ, clock)
    records = FileRecordLog(checkout.home)
    index = cache_folder(checkout) / "records.sqlite3"
    return HookDesk(
        repository=checkout.repository,
        clock=clock,
        redact=redactor(settings),
        open_store=lambda: open_store_file(settings, checkout, clock),
        record_index=SqliteRecordIndex(index, records, reach=GitReach(checkout, os.environ)),
        metrics=RustworkxMetrics(),
        cache=ProcessCache(),
        transcripts=TranscriptFiles(),
        open_jobs=lambda: detached_worker(checkout.root, clock.token(policy.RUN_TOKEN_BYTES)),
    )


@cache
def offload_queue() -> "OffloadQueue":
    """This process's queue of offloaded turns, shared by all repositories that it serves."""
    from remora.adapters.offload_queue import OffloadQueue

    return OffloadQueue(SystemClock().token(policy.RUN_TOKEN_BYTES))


def _queued_jobs(ports: Callable[[], Ports]) -> Jobs:
    """One repository's way to the queue; what runs there opens its ports when its turn comes."""
    from remora.adapters.offload_queue import RepositoryJobs

    def run(offload: "Offload") -> None:
        from remora.usecases.extract_facts import extract_facts

        extract_facts(ports(), offload)

    return RepositoryJobs(offload_queue(), lambda: ports().store, run)


def open_models(settings: Settings) -> Models:
    """The models that the operator's file routes. Raises `InvalidInput` for a file that cannot be used."""
    from remora.adapters.openai_http.chat import RoutedModels
    from remora.config import load_routes, variable

    return RoutedModels(load_routes(settings), variable)


def open_directory(settings: Settings) -> DirectoryDesk:
    """The directory of this machine's server. Its file is made at the first write, its secret with the first key."""
    from remora.adapters.sqlite.directory import SqliteDirectory

    @cache
    def secret() -> bytes:
        return private_key(settings.data_dir / "directory.key")

    path = settings.data_dir / "directory.sqlite3"
    return DirectoryDesk(SqliteDirectory(path, allow_network=settings.allow_network_fs), SystemClock(), secret)


def project_files(root: Path) -> ProjectFiles:
    """Settings and instruction files of a project, which others own too."""
    from remora.adapters.settings_files import SettingsFiles

    return SettingsFiles(root)


def open_hooks(ports: Ports) -> tuple[HooksPlace, ProjectFiles]:
    """Where git looks for this repository's hooks, and the files there."""
    from remora.adapters.git.hooks_place import hooks_place

    place = hooks_place(ports.checkout, os.environ)
    return place, project_files(place.folder)


def compile_hook() -> bool:
    """Compile the client hook ahead of its first run; False where its folder may not be written."""
    from remora.adapters import hook_code

    return hook_code.compile_hook()


def new_run_files() -> RunFiles:
    """The run files of a server that starts now."""
    from remora.adapters.run_files import RunFiles

    return RunFiles()


def with_peers(ports: Ports, stores: Sequence[Path]) -> Ports:
    """The same bag, whose records are read together with those of other stores; they are never written.

    A store that cannot be opened is named as bad in the index's state and stops nothing.
    """
    from remora.adapters.git.reach import GitReach
    from remora.adapters.record_files.federation import FederatedRecordLog
    from remora.adapters.sqlite.record_index import SqliteRecordIndex

    log = FederatedRecordLog(ports.records, [(str(store), _peer(store)) for store in stores])
    name = ids.digest("\0".join(os.fspath(store.absolute()) for store in stores).encode("utf-8", "surrogateescape"))
    path = cache_folder(ports.checkout) / "peers" / f"{name[:16]}.sqlite3"
    index = SqliteRecordIndex(path, log, reach=GitReach(ports.checkout, os.environ))
    return replace(ports, records=log, record_index=index)


def _peer(store: Path) -> RecordLog | None:
    try:
        return open_peer_log(store)
    except InvalidInput:
        return None


def open_peer_log(store: Path) -> RecordLog:
    """The record log of another store, to read from. Raises `InvalidInput` where there is none."""
    from remora.adapters.record_files.federation import open_peer

    return open_peer(store.expanduser().absolute())


def hosted(settings: Settings, checkout: Checkout) -> bool:
    """Whether a server keeps memory of the repository without having its files."""
    return checkout.root.parent == settings.data_dir.resolve() / "hosted"


def host_repository(settings: Settings, identity: str) -> Path:
    """The home of a repository without a checkout, made when it is not there; its records lie in the store."""
    from remora.adapters.git.hosted import host

    return host(settings.data_dir.resolve() / "hosted", identity, os.environ)


def open_record_server(ports: Ports, url: str, token: str) -> RecordServer:
    """The same repository's records on a server."""
    from remora.adapters.record_server import HttpRecordServer

    return HttpRecordServer(url, token, (ports.repository.identity, *ports.repository.aliases))


def refreshed(ports: Ports) -> "Freshness":
    """Bring the code graph up to date when little changed or little is there; say what is stale otherwise.

    Where it cannot be locked or written, the stored graph answers, and what changed since is told as stale.
    """
    from remora.core.codegraph.answers import Freshness
    from remora.usecases.index_repository import IndexRequest, index_repository

    request = IndexRequest(at_most=policy.STALE_REFRESH_FILES, first_at_most=policy.FIRST_BUILD_FILES)
    try:
        done = index_repository(ports, operator_grant(), request)
    except Unavailable:
        done = index_repository(ports, operator_grant(), IndexRequest(write=False))
    return Freshness(done.commit, done.stale)


def parsed_spans(parser: Parser) -> SpanSource:
    """What git capture asks of the code graph's parser."""
    from remora.adapters.parsed_spans import ParsedSpans
    from remora.adapters.walk import excluded_by_name

    return ParsedSpans(parser, lambda path: bool(excluded_by_name(path)))
