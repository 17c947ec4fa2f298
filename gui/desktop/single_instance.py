"""One window per data directory: a second start hands its arguments to the first and ends.

They use a local socket that only this user may open. The next start removes the socket of a killed
process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from gui.desktop.second_start import (
    ANSWERS_WITHIN_S,
    encode_arguments,
    hand_over,
    not_answering,
    socket_path,
)
from router.domain.errors import Conflict, ToolboothError

_TIMEOUT_MS = 2000
_ANSWER = b"ok\n"


class SingleInstance(QObject):
    """`claim` decides who is first; the first one emits `started` for each later start."""

    started = Signal(list)
    """The arguments (`list[str]`) of a later start."""

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = socket_path(data_dir)
        self._address = self._path.name if sys.platform == "win32" else str(self._path)
        self._lock = QLockFile(f"{self._path}.lock")
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)

    def claim(self, arguments: Sequence[str]) -> bool:
        """True for the first start; else the first one has `arguments` and this one should end."""
        # The lock keeps two simultaneous starts from removing each other's socket.
        if not self._lock.tryLock(int(ANSWERS_WITHIN_S * 1000)):
            raise Conflict("Another start is under way.", "Wait a moment, then try again.")
        try:
            if self._hand_over(arguments):
                return False
            self._listen()
            return True
        finally:
            self._lock.unlock()

    def release(self) -> None:
        """Let the next start be the first."""
        self._server.close()

    def _hand_over(self, arguments: Sequence[str]) -> bool:
        if sys.platform != "win32":
            return hand_over(self._path, arguments)
        socket = QLocalSocket()
        socket.connectToServer(self._address)
        if not socket.waitForConnected(_TIMEOUT_MS):
            return False
        socket.write(encode_arguments(arguments))
        if not socket.waitForReadyRead(_TIMEOUT_MS):
            raise not_answering()
        return True

    def _listen(self) -> None:
        QLocalServer.removeServer(self._address)
        if not self._server.listen(self._address):
            raise ToolboothError(
                f"{self._address} can't be opened: {self._server.errorString()}.",
                "Check the folder's permissions.",
            )

    def _accept(self) -> None:
        while self._server.hasPendingConnections():
            socket = self._server.nextPendingConnection()
            socket.disconnected.connect(socket.deleteLater)
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            self._read(socket)

    def _read(self, socket: QLocalSocket) -> None:
        if not socket.canReadLine():
            return
        arguments = _arguments(bytes(socket.readLine().data()))
        socket.write(_ANSWER)
        socket.disconnectFromServer()
        self.started.emit(arguments)


def _arguments(line: bytes) -> list[str]:
    try:
        content: object = json.loads(line)
    except (ValueError, RecursionError):
        return []
    return [str(item) for item in cast(list[object], content)] if isinstance(content, list) else []
