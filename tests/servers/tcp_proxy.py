"""A TCP proxy on loopback that cuts, slows, silences or garbles what goes through it, as a bad network would."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TcpProxy:
    """Forwards to a port. `mode`: pass | slow | silent | deaf | garbage | closed; may change while connections live.

    slow: each piece waits `delay_seconds`. silent: nothing goes either way, lines stay open. deaf: requests go, answers
    are swallowed and the line is cut soon after. garbage: answers are noise. closed: lines are cut, new ones too.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self.delay_seconds = 0.05
        self._mode = "pass"
        self._lines: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tcp-proxy", daemon=True)

    @property
    def url(self) -> str:
        """What a driver connects to."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def mode(self) -> str:
        """What happens to traffic now."""
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        self._mode = mode
        if mode == "closed":
            self.cut()

    def cut(self) -> None:
        """Cut every line at once."""
        self._loop.call_soon_threadsafe(self._cut)

    def _cut(self) -> None:
        for line in list(self._lines):
            line.transport.abort()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        self._cut()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.05))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._mode == "closed":
            writer.transport.abort()
            return
        with contextlib.suppress(OSError, asyncio.CancelledError):
            back, forth = await asyncio.open_connection("127.0.0.1", self.target)
            self._lines |= {writer, forth}
            try:
                await asyncio.gather(self._pump(reader, forth, answers=False), self._pump(back, writer, answers=True))
            finally:
                for line in (writer, forth):
                    self._lines.discard(line)
                    line.transport.abort()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, answers: bool) -> None:
        while data := await source.read(65_536):
            while self._mode == "silent":
                await asyncio.sleep(0.02)
            if self._mode == "slow":
                await asyncio.sleep(self.delay_seconds)
            if answers and self._mode == "deaf":
                await asyncio.sleep(0.1)
                self._cut()
                return
            if answers and self._mode == "garbage":
                data = b"\x00\xff\x13garbage" * 20
            sink.write(data)
            await sink.drain()
        sink.close()

    def start(self) -> None:
        """Listen on a free port."""
        self._thread.start()
        self._ready.wait(10)

    def stop(self) -> None:
        """Cut everything and end."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


@contextmanager
def proxied(target: int) -> Iterator[TcpProxy]:
    """A proxy before this port, for this block."""
    proxy = TcpProxy(target)
    proxy.start()
    try:
        yield proxy
    finally:
        proxy.stop()
