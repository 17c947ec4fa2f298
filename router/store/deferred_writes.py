"""Writes of what the router knows in memory: one that fails is kept and tried again.

So a full or read-only disk stops nothing. What a person asked to be written is no such write: that
either is on the disk or fails.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable

from router.domain.errors import ToolboothError

log = logging.getLogger(__name__)


class DeferredWrites:
    """Thread-safe; blocks. `on_change` gets the reason of the oldest failure whenever that changes,
    or an empty text once everything is written."""

    def __init__(self, on_change: Callable[[str], object] = str) -> None:
        self._on_change = on_change
        self._lock = threading.RLock()
        self._failed: dict[Hashable, tuple[Callable[[], object], str]] = {}
        """The newest write of each subject that has failed, and why; the oldest failure first."""
        self._reason = ""

    @property
    def reason(self) -> str:
        """Why something is not written; empty if everything is."""
        return self._reason

    def write(self, subject: Hashable, write: Callable[[], object]) -> None:
        """Call `write`, now and again until it does not raise a `ToolboothError`. It replaces an
        earlier one of the same subject."""
        with self._lock:
            self._failed.pop(subject, None)
            self._try(subject, write)
            self._report()

    def forget(self, subject: Hashable) -> None:
        """What could not be written of it is no longer needed."""
        with self._lock:
            self._failed.pop(subject, None)
            self._report()

    def retry(self) -> None:
        """Try everything again that has failed."""
        with self._lock:
            failed, self._failed = self._failed, {}
            for subject, (write, _) in failed.items():
                self._try(subject, write)
            self._report()

    def _try(self, subject: Hashable, write: Callable[[], object]) -> None:
        try:
            write()
        except ToolboothError as error:
            self._failed[subject] = write, error.message

    def _report(self) -> None:
        reason = next((reason for _, reason in self._failed.values()), "")
        if reason != self._reason:
            self._reason = reason
            if reason:
                log.warning("%s What is unwritten stays in memory, to be written later.", reason)
            else:
                log.info("Everything is written now.")
            self._on_change(reason)
