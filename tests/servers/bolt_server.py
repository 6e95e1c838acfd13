"""A real Neo4j Community server without containers: jars from Maven Central, cached, started on loopback, stopped.

`python bolt_server.py run [--version V] -- COMMAND ...` runs the command with REMORA_TEST_NEO4J set, then stops it.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

POM = Path(__file__).with_name("neo4j.pom.xml")
LTS = "5.26.30"
CURRENT = "2026.09.0"
DOWNLOAD_SECONDS = 900
START_SECONDS = 120
STOP_SECONDS = 60
OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch")
CONFIGURATION = {
    "server.bolt.enabled": "true",
    "server.http.enabled": "false",
    "dbms.security.auth_enabled": "false",
    "server.memory.pagecache.size": "128m",
    "dbms.usage_report.enabled": "false",
    "server.jvm.additional": "-Dlog4j2.disable.jmx=true",
    "db.tx_log.rotation.retention_policy": "keep_none",
    # a dead link is noticed by the driver after probes x this time
    "server.bolt.connection_keep_alive": "10s",
    "server.bolt.connection_keep_alive_for_requests": "ALL",
}


def cache_folder() -> Path:
    """Where downloaded jars are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "remora-tests" / "neo4j"


def jars(version: str) -> Path:
    """The folder with the jars of one version, which Maven downloads at first use; `RuntimeError` without it."""
    place = cache_folder() / version
    if (place / "complete").exists():
        return place
    if shutil.which("mvn") is None:
        raise RuntimeError("Maven (mvn) is needed to download Neo4j; or set REMORA_TEST_NEO4J to a Bolt URL")
    place.mkdir(parents=True, exist_ok=True)
    command = ["mvn", "-q", "-B", "-f", str(POM), f"-Dneo4j.version={version}", "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={place}"]
    for last in (False, True):  # a slow mirror is asked once more; what it gave is kept
        done = subprocess.run(command, timeout=DOWNLOAD_SECONDS, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        if last:
            raise RuntimeError(f"Maven could not fetch Neo4j {version}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    (place / "complete").touch()
    return place


def java(version: str) -> str:
    """A Java that runs this version: 17 or later for 5.x, 25 or later from 2025.10 on."""
    needed = 17 if version.startswith("5.") else 25
    candidates = [os.environ.get("REMORA_TEST_JAVA", ""), shutil.which("java") or ""]
    candidates += sorted(str(path) for path in Path("/usr/lib/jvm").glob("*/bin/java"))
    for program in filter(None, candidates):
        told = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
        found = re.search(r'version "(\d+)', told)
        if found and int(found.group(1)) >= needed:
            return program
    raise RuntimeError(
        f"Neo4j {version} needs Java {needed}; set REMORA_TEST_JAVA to one, or REMORA_TEST_NEO4J to a URL"
    )


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class BoltServer:
    """One server process with its data in `home`; it can be killed and started again on the same data and port."""

    def __init__(self, home: Path, version: str = LTS, *, heap: str = "512m", settings: Mapping[str, str] = {}) -> None:
        self.home = home
        self.version = version
        self.port = free_port()
        self._heap = heap
        self._settings = dict(CONFIGURATION) | dict(settings)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """What a driver connects to."""
        return f"bolt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process and wait until it answers. Raises `RuntimeError` with the log's end when it does not."""
        configuration = self.home / "conf"
        configuration.mkdir(parents=True, exist_ok=True)
        lines = self._settings | {"server.bolt.listen_address": f"127.0.0.1:{self.port}"}
        if self.version.startswith("2"):
            del lines["server.jvm.additional"]
        text = "".join(f"{key}={value}\n" for key, value in lines.items())
        (configuration / "neo4j.conf").write_text(text)
        main = "CommunityEntryPoint" if self.version.startswith("5.") else "Neo4jCommunity"
        command = [java(self.version), "-Xms256m", f"-Xmx{self._heap}", "-XX:+UseG1GC"]
        command += [f"--add-opens={name}=ALL-UNNAMED" for name in OPENED]
        command += ["--enable-native-access=ALL-UNNAMED"]
        command += ["-cp", f"{jars(self.version)}/*", f"org.neo4j.server.{main}"]
        command += [f"--home-dir={self.home}", f"--config-dir={configuration}", "--console-mode"]
        with (self.home / "console.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            self._wait()
        except BaseException:
            self.kill()
            raise

    def _wait(self) -> None:
        assert self._process is not None
        end = time.monotonic() + START_SECONDS
        while not answers(self.port):
            if self._process.poll() is not None or time.monotonic() > end:
                log = (self.home / "console.log").read_text(errors="replace")
                raise RuntimeError(f"Neo4j {self.version} did not start:\n{log[-3000:]}")
            time.sleep(0.2)

    def stop(self) -> None:
        """End it in good order; killed when it takes too long."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(STOP_SECONDS)

    @property
    def pid(self) -> int:
        """The process id, 0 when stopped."""
        return self._process.pid if self._process else 0


def answers(port: int) -> bool:
    """Whether a Bolt server answers and its default database runs a query."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            pass
        with GraphDatabase.driver(f"bolt://127.0.0.1:{port}", connection_timeout=5) as driver:
            driver.execute_query("RETURN 1")
    except (OSError, DriverError, Neo4jError):
        return False
    return True


@contextmanager
def running(version: str = LTS, *, heap: str = "512m", settings: Mapping[str, str] = {}) -> Iterator[BoltServer]:
    """A server with empty data for this block."""
    home = Path(tempfile.mkdtemp(prefix="remora-neo4j-"))
    server = BoltServer(home, version, heap=heap, settings=settings)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(home, ignore_errors=True)


def main(arguments: Sequence[str]) -> int:
    """Run a command beside a fresh server, or beside the one in REMORA_TEST_NEO4J; returns the command's code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["run", "fetch"])
    parser.add_argument("--version", default=os.environ.get("REMORA_TEST_NEO4J_VERSION", LTS))
    parser.add_argument("--seconds", type=float, default=3000, help="the command is ended after this long")
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    told = parser.parse_args(arguments[:cut])
    if told.verb == "fetch":
        print(jars(told.version))
        return 0
    command = arguments[cut + 1 :] or ["true"]
    if os.environ.get("REMORA_TEST_NEO4J"):
        return subprocess.run(command, timeout=told.seconds, check=False).returncode
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped then, too
    with running(told.version) as server:
        print(f"Neo4j {told.version} answers at {server.url}", flush=True)
        environment = os.environ | {"REMORA_TEST_NEO4J": server.url}
        return subprocess.run(command, env=environment, timeout=told.seconds, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
