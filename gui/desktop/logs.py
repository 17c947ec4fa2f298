"""Where the desktop application logs: to stderr, and to a file only its user can read.

The one place that installs handlers.
"""

from __future__ import annotations

import logging
import os
import sys
from io import FileIO, TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from router.runtime.tracing import TraceFormatter

MAX_BYTES = 1_000_000
KEPT_FILES = 3
_VERBOSE_LIBRARIES = ("mcp", "uvicorn", "httpx2", "httpcore2", "qasync")

log = logging.getLogger(__name__)


def set_up_logging(data_dir: Path) -> None:
    """Log to `data_dir`/logs/toolbooth.log and stderr, uncaught exceptions included."""
    # A windowed program on Windows has no stderr.
    handlers: list[logging.Handler] = [logging.StreamHandler()] if sys.stderr else []
    failure: OSError | None = None
    try:
        handlers.append(_file_handler(data_dir / "logs"))
    except OSError as error:
        failure = error
    for handler in handlers:
        handler.setFormatter(TraceFormatter())
    logging.basicConfig(level=logging.INFO, handlers=handlers)
    if failure is not None:
        log.warning("Can't write a log file: %s", failure)
    for library in _VERBOSE_LIBRARIES:
        logging.getLogger(library).setLevel(logging.WARNING)
    sys.excepthook = _log_uncaught


class _PrivateFileHandler(RotatingFileHandler):
    """Only the user can read its files."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return TextIOWrapper(FileIO(descriptor, "a"), encoding="utf-8", line_buffering=True)


def _file_handler(folder: Path) -> logging.Handler:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _PrivateFileHandler(
        folder / "toolbooth.log", maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8"
    )


def _log_uncaught(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    log.critical("Uncaught exception", exc_info=(kind, error, traceback))
