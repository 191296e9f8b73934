"""The socket of a daemon: one JSON object a line, both ways.

A request is `{"op": "status"}`, `as-of-now`, `subscribe`, `hello` or `stop`. What is answered is
made by whoever starts the server (`Voice`), since the form of all output is that of the command
line. One thread serves all; it reads the board, which is a value, and touches nothing else.
"""

import json
import os
import selectors
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from gitwfp.classes import dataclass, field
from gitwfp.daemon.board import Board, Delta
from gitwfp.daemon.place import peer
from gitwfp.model.plan import SessionRef

_LARGEST_REQUEST: Final = 65536
_LARGEST_BACKLOG: Final = 16 * 1024 * 1024
"""Bytes that wait for a subscriber; one that does not read is let go."""

_MOST_CLIENTS: Final = 200
_CHUNK: Final = 65536


class Voice(Protocol):
    """Puts into words what the daemon tells; each is one line without its end."""

    def board(self, board: Board) -> bytes:
        """Returns the answer to `status` and `as-of-now`."""
        ...

    def change(
        self, board: Board, deltas: tuple[Delta, ...], judged: tuple[SessionRef, ...]
    ) -> bytes:
        """Returns what a subscriber is told of a new board."""
        ...

    def heard(self) -> bytes:
        """Returns the answer to `hello` and to `stop`."""
        ...

    def misunderstood(self, request: str) -> bytes:
        """Returns the answer to a request that is none."""
        ...


@dataclass(slots=True)
class _Client:
    number: int
    connection: socket.socket
    heard: bytearray = field(default_factory=bytearray)
    waiting: bytearray = field(default_factory=bytearray)
    subscribes: bool = False
    is_leaving: bool = False


class Server:
    """Serves the socket in a thread of its own.

    Args:
        listening: The socket.
        voice: Puts answers into words.
        as_of_now: Has all that is saved by now judged, and calls back with the board.
        stop: Ends the daemon.
    """

    def __init__(
        self,
        listening: socket.socket,
        voice: Voice,
        as_of_now: Callable[[Callable[[Board], None]], None],
        stop: Callable[[], None],
    ) -> None:
        self._listening = listening
        self._voice = voice
        self._as_of_now = as_of_now
        self._stop = stop
        self._board: Board | None = None
        self._clients: dict[int, _Client] = {}
        self._last = 0
        self._listeners = 0
        self._outbox: list[tuple[int | None, bytes, bool]] = []
        self._lock = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._wake_reads, self._wake_writes = os.pipe()
        os.set_blocking(self._wake_reads, False)
        os.set_blocking(self._wake_writes, False)
        self._is_over = False
        self._thread = threading.Thread(target=self._serve, name="server", daemon=True)

    def start(self) -> None:
        """Begins to serve."""
        self._selector.register(self._listening, selectors.EVENT_READ, self._accept)
        self._selector.register(self._wake_reads, selectors.EVENT_READ, self._drain)
        self._thread.start()

    def publish(
        self, board: Board, deltas: tuple[Delta, ...], judged: tuple[SessionRef, ...]
    ) -> None:
        """Takes a new board, and tells the subscribers."""
        self._board = board
        if self._listeners:
            self._send(None, self._voice.change(board, deltas, judged))

    @property
    def has_listeners(self) -> bool:
        """Whether anybody subscribes."""
        return self._listeners > 0

    def close(self) -> None:
        """Ends serving, once what was said is written."""
        self._is_over = True
        self._wake()
        self._thread.join(timeout=1.0)

    # ------------------------------------------------------------------- from any thread

    def _send(self, number: int | None, line: bytes, *, subscribe: bool = False) -> None:
        with self._lock:
            self._outbox.append((number, line, subscribe))
        self._wake()

    def _wake(self) -> None:
        # A full pipe wakes the thread as well.
        with suppress(BlockingIOError, OSError):
            os.write(self._wake_writes, b"\0")

    # ---------------------------------------------------------------- in the server's own

    def _serve(self) -> None:
        while not self._is_over:
            for key, _ in self._selector.select():
                key.data(key.fileobj)
        self._take_outbox()
        for client in tuple(self._clients.values()):
            with suppress(OSError):
                client.connection.settimeout(0.2)
                client.connection.sendall(client.waiting)
            self._drop(client)
        self._listening.close()

    def _accept(self, listening: socket.socket) -> None:
        try:
            connection, _ = listening.accept()
        except OSError:
            # Whoever it was has gone.
            return
        known = peer(connection)
        if len(self._clients) >= _MOST_CLIENTS or (known is not None and known[1] != os.geteuid()):
            connection.close()
            return
        connection.setblocking(False)
        self._last += 1
        client = _Client(self._last, connection)
        self._clients[client.number] = client
        self._selector.register(
            connection, selectors.EVENT_READ, lambda _, client=client: self._attend(client)
        )

    def _drain(self, number: int) -> None:
        with suppress(BlockingIOError):
            while os.read(number, _CHUNK):
                pass
        self._take_outbox()

    def _take_outbox(self) -> None:
        with self._lock:
            lines, self._outbox = self._outbox, []
        for number, line, subscribe in lines:
            for client in tuple(self._clients.values()):
                if client.subscribes if number is None else client.number == number:
                    if subscribe:
                        self._subscribe(client)
                    self._say(client, line)

    def _attend(self, client: _Client) -> None:
        self._flush(client)
        try:
            data = client.connection.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(client)
            return
        client.heard += data
        while b"\n" in client.heard:
            line, _, rest = bytes(client.heard).partition(b"\n")
            client.heard = bytearray(rest)
            self._obey(client, line)
        if len(client.heard) > _LARGEST_REQUEST:
            self._misunderstand(client, "")

    def _obey(self, client: _Client, line: bytes) -> None:
        operation = _operation(line)
        number = client.number
        if operation in ("status", "subscribe") and self._board is not None:
            if operation == "subscribe":
                self._subscribe(client)
            self._say(client, self._voice.board(self._board))
        elif operation in ("status", "subscribe", "as-of-now"):
            # Before there is any board, everybody waits for the first one.
            is_more = operation == "subscribe"
            self._as_of_now(
                lambda board: self._send(number, self._voice.board(board), subscribe=is_more)
            )
        elif operation in ("hello", "stop"):
            self._say(client, self._voice.heard())
            if operation == "stop":
                self._stop()
        else:
            self._misunderstand(client, operation)

    def _subscribe(self, client: _Client) -> None:
        self._listeners += not client.subscribes
        client.subscribes = True

    def _misunderstand(self, client: _Client, request: str) -> None:
        client.is_leaving = True
        self._say(client, self._voice.misunderstood(request))

    def _say(self, client: _Client, line: bytes) -> None:
        client.waiting += line + b"\n"
        if len(client.waiting) > _LARGEST_BACKLOG:
            self._drop(client)
        else:
            self._flush(client)

    def _flush(self, client: _Client) -> None:
        try:
            # The rest goes when there is room for it.
            with suppress(BlockingIOError):
                while client.waiting:
                    del client.waiting[: client.connection.send(client.waiting)]
        except OSError:
            self._drop(client)
            return
        if client.is_leaving and not client.waiting:
            self._drop(client)
        elif client.number in self._clients:
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.waiting else 0)
            self._selector.modify(
                client.connection, wanted, lambda _, client=client: self._attend(client)
            )

    def _drop(self, client: _Client) -> None:
        if self._clients.pop(client.number, None) is not None:
            self._listeners -= client.subscribes
            self._selector.unregister(client.connection)
            client.connection.close()


def _operation(line: bytes) -> str:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    operation = request.get("op") if isinstance(request, dict) else None
    return operation if isinstance(operation, str) else ""
