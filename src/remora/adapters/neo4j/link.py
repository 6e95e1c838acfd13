"""One driver to one database, shared by all repositories in it: retries, deadlines, and our errors."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from neo4j import READ_ACCESS, Driver, GraphDatabase, ManagedTransaction, Query, Session, unit_of_work
from neo4j.exceptions import DriverError, Neo4jError

from remora.adapters.neo4j.address import Address
from remora.adapters.neo4j.faults import may_pass, translate
from remora.adapters.neo4j.watchdog import Watchdog
from remora.core.policy import SERVER_CONNECT_SECONDS, SERVER_CONNECTIONS, SERVER_MANAGED_SECONDS, SERVER_RETRY_SECONDS

T = TypeVar("T")
Row = list[Any]
Fetch = Callable[[str, Mapping[str, Any]], list[Row]]
"""(statement, parameters) -> rows. Text of others travels in parameters only."""


class Link:
    """Opens the driver when first needed, and anew after it had to be cut off or the process forked."""

    def __init__(self, address: Address, *, deadline_seconds: float) -> None:
        self.address = address
        self.deadline_seconds = deadline_seconds
        self.layout = 0
        """Layout of the database once it was made ready and checked, which is done once per process."""
        self._driver: Driver | None = None
        self._process = os.getpid()
        self._guard = threading.Lock()
        self._watchdog = Watchdog(self._cut)
        # what it would tell of each failed try is told once, by the error at the deadline
        logging.getLogger("neo4j").setLevel(logging.CRITICAL)

    # --- sessions -----------------------------------------------------------------------------------------------------

    def _opened(self) -> Driver:
        with self._guard:
            if self._driver is None or self._process != os.getpid():
                self._process = os.getpid()
                login = (self.address.user, self.address.password) if self.address.user else None
                self._driver = GraphDatabase.driver(
                    self.address.url,
                    auth=login,
                    connection_timeout=min(SERVER_CONNECT_SECONDS, self.deadline_seconds),
                    connection_acquisition_timeout=self.deadline_seconds,
                    connection_write_timeout=self.deadline_seconds,
                    max_transaction_retry_time=SERVER_MANAGED_SECONDS,
                    max_connection_pool_size=SERVER_CONNECTIONS,
                    initial_retry_delay=SERVER_RETRY_SECONDS,
                    user_agent="remora",
                    telemetry_disabled=True,
                    notifications_min_severity="OFF",
                )
            return self._driver

    def session(self, *, bookmarks: Any = None, read: bool = False) -> Session:
        """A session of our database; what one of its statements saw, the next one sees too."""
        options: dict[str, Any] = {"database": self.address.database} if self.address.database else {}
        if read:
            options["default_access_mode"] = READ_ACCESS
        return self._opened().session(bookmarks=bookmarks, **options)

    def _cut(self) -> None:
        """Close the lines under calls that wait for a silent server; they end with an error of the driver."""
        with self._guard:
            driver, self._driver = self._driver, None
        if driver is not None:
            with suppress(DriverError, Neo4jError, OSError):
                driver.close()

    def close(self) -> None:
        """Close all connections; a later call opens them anew."""
        self._cut()

    # --- calls --------------------------------------------------------------------------------------------------------

    @contextmanager
    def reads(self) -> Iterator[Fetch]:
        """A row of read statements, each tried again until the deadline when the line or the server fails."""
        line = _Line(self)
        try:
            yield line.fetch
        finally:
            line.close()

    def once(self, statement: str, parameters: Mapping[str, Any] | None = None, *, read: bool = True) -> list[Row]:
        """One statement in a transaction of its own; with `read=False` it must be fit to run twice."""
        line = _Line(self, read=read)
        try:
            return line.fetch(statement, parameters or {})
        finally:
            line.close()

    def write(self, work: Callable[[Fetch], T]) -> T:
        """Run `work` in one managed write transaction.

        It is run again after passing faults, also after a commit of unknown outcome: `work` must find out by itself
        whether a former run of it is in the database.
        """
        end = time.monotonic() + self.deadline_seconds
        pause = SERVER_RETRY_SECONDS

        @unit_of_work(timeout=self.deadline_seconds)
        def run(transaction: ManagedTransaction) -> T:
            return work(self._fetch_in(transaction))

        while True:
            try:
                with self.session() as session, self._watchdog.watch(1.25 * self.deadline_seconds):
                    return session.execute_write(run)
            except (DriverError, Neo4jError) as error:
                if not may_pass(error) or time.monotonic() >= end:
                    raise translate(error, self.address) from error
            time.sleep(pause)
            pause = min(1.0, 2 * pause)

    def _fetch_in(self, transaction: ManagedTransaction) -> Fetch:
        def fetch(statement: str, parameters: Mapping[str, Any]) -> list[Row]:
            with self._watchdog.watch(self.deadline_seconds):
                return transaction.run(statement, dict(parameters)).values()

        return fetch

    def attempt(self, session: Session, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        """One try of one statement in a transaction of its own."""
        with self._watchdog.watch(self.deadline_seconds):
            query = Query(statement, timeout=self.deadline_seconds)
            return session.run(query, dict(parameters)).values()


class _Line:
    """Statements one after the other in one session, which carries on behind a lost connection."""

    def __init__(self, link: Link, *, read: bool = True) -> None:
        self._link = link
        self._read = read
        self._session: Session | None = None
        self._bookmarks: Any = None

    def fetch(self, statement: str, parameters: Mapping[str, Any]) -> list[Row]:
        end = time.monotonic() + self._link.deadline_seconds
        pause = SERVER_RETRY_SECONDS
        while True:
            if self._session is None:
                self._session = self._link.session(bookmarks=self._bookmarks, read=self._read)
            try:
                return self._link.attempt(self._session, statement, parameters)
            except (DriverError, Neo4jError) as error:
                self._forget()
                if not may_pass(error) or time.monotonic() >= end:
                    raise translate(error, self._link.address) from error
            time.sleep(pause)
            pause = min(1.0, 2 * pause)

    def _forget(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with suppress(DriverError, Neo4jError, OSError):
                self._bookmarks = session.last_bookmarks()
                session.close()

    def close(self) -> None:
        self._forget()
