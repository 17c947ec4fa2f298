"""A second start hands its arguments to the first one, over a local socket of the user's.

Without Qt: a second start has ended before it would be loaded. On Windows, where the socket is a
pipe, `single_instance` does it with Qt.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from router.domain.errors import Conflict, ToolboothError

ANSWERS_WITHIN_S = 30.0
"""The first one may still be starting, or be shutting down."""
_CONNECTS_WITHIN_S = 2.0
_LONGEST_ADDRESS = 100


def socket_path(data_dir: Path) -> Path:
    """Where the first start on `data_dir` listens: in a directory only the user may write to."""
    name = f"toolbooth-{hashlib.sha256(str(data_dir.resolve()).encode()).hexdigest()[:16]}"
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/nowhere")
    for folder in (runtime, data_dir):
        if _is_own(folder) and len(os.fsencode(folder / name)) <= _LONGEST_ADDRESS:
            return folder / name
    return _private_folder() / name


def hand_over(address: Path, arguments: Sequence[str]) -> bool:
    """Hand `arguments` to the first start at `address`; False if there is none."""
    if sys.platform == "win32":
        return False
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_CONNECTS_WITHIN_S)
        try:
            connection.connect(str(address))
            connection.settimeout(ANSWERS_WITHIN_S)
            connection.sendall(encode_arguments(arguments))
            return bool(connection.recv(1))  # Empty: it shut down instead.
        except TimeoutError:
            raise not_answering() from None
        except OSError:
            return False


def encode_arguments(arguments: Sequence[str]) -> bytes:
    return json.dumps(list(arguments)).encode() + b"\n"


def not_answering() -> ToolboothError:
    return Conflict("Toolbooth is running but does not answer.", "End it, then try again.")


def _is_own(folder: Path) -> bool:
    if sys.platform == "win32":
        return folder.is_dir()
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _private_folder() -> Path:
    """For systems without a runtime directory, where the data directory's path is too long."""
    owner = "" if sys.platform == "win32" else f"-{os.getuid()}"
    folder = Path(tempfile.gettempdir()) / f"toolbooth{owner}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Conflict(f"{folder} can't be made: {error.strerror}.") from error
    if not _is_own(folder):
        raise Conflict(f"{folder} belongs to somebody else.", "Remove it, then try again.")
    return folder
