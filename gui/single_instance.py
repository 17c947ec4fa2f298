"""One window per data directory: a second start hands its arguments to the first and ends.

The two meet at a local socket that only this user may open, named after the directory. What a
killed process left behind is swept away by the next start.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from PySide6.QtCore import QDir, QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from router.errors import Conflict, ToolboothError

_TIMEOUT_MS = 2000
_ANSWER = b"ok\n"


class SingleInstance(QObject):
    """`claim` decides who is first; the first hears of each later start through `started`."""

    started = Signal(list)
    """The arguments (`list[str]`) of a start that found us here."""

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        name = f"toolbooth-{hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:16]}"
        folder = _private_folder()
        self._address = name if sys.platform == "win32" else str(folder / name)
        self._lock = QLockFile(str(folder / f"{name}.lock"))
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._welcome)

    def claim(self, arguments: Sequence[str]) -> bool:
        """True if we are the first; else `arguments` are with the first one and we should end."""
        # The lock keeps two starts at the same moment from sweeping away each other's socket.
        if not self._lock.tryLock(_TIMEOUT_MS):
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
        socket = QLocalSocket()
        socket.connectToServer(self._address)
        if not socket.waitForConnected(_TIMEOUT_MS):
            return False
        socket.write(json.dumps(list(arguments)).encode() + b"\n")
        if not socket.waitForReadyRead(_TIMEOUT_MS):
            raise Conflict("Toolbooth is running but does not answer.", "End it, then try again.")
        return True

    def _listen(self) -> None:
        QLocalServer.removeServer(self._address)
        if not self._server.listen(self._address):
            raise ToolboothError(
                f"{self._address} can't be opened: {self._server.errorString()}.",
                "Check the folder's permissions.",
            )

    def _welcome(self) -> None:
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
    except ValueError:
        return []
    return [str(item) for item in cast(list[object], content)] if isinstance(content, list) else []


def _private_folder() -> Path:
    """Where this user's sockets lie: the session's own folder where the system has one."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(runtime) if runtime and Path(runtime).is_dir() else Path(QDir.tempPath())
