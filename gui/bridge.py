"""The one place where router events become a Qt signal.

`publish` may be called on any thread; what it was given arrives on the GUI thread as lists, at
most `BATCHES_PER_SECOND`. Between two batches the last word about a thing replaces the earlier
ones, so a burst costs the window one repaint, and a busy window never makes memory grow. Knows
nothing of widgets, and nothing of the router but its events.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from threading import Lock
from typing import assert_never

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from router.api.events import (
    ActivityRecorded,
    ApprovalsChanged,
    AttentionNeeded,
    ConfigAccepted,
    ConfigRejected,
    DiscoveryProgressed,
    Event,
    ListenerStateChanged,
    ListNotKept,
    PermissionRequested,
    PermissionResolved,
    ServerRemoved,
    ServerStatusChanged,
    SettingsApplied,
    TokensChanged,
    ToolsChanged,
    WorkspacesChanged,
    WorkspaceSwitched,
)

BATCHES_PER_SECOND = 20
MAX_ACTIVITY_PER_BATCH = 500


class Bridge(QObject):
    """Emits `events` with a `list[Event]`: first the news of each thing in the order it last
    changed, then the newest activity, oldest first."""

    events = Signal(list)
    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = Lock()
        self._news: dict[Hashable, Event] = {}
        self._activity: deque[Event] = deque(maxlen=MAX_ACTIVITY_PER_BATCH)
        self._closed = False
        self._pause = QTimer(self, singleShot=True, interval=1000 // BATCHES_PER_SECOND)
        self._pause.timeout.connect(self.flush)
        self._woken.connect(self._wake, Qt.ConnectionType.QueuedConnection)

    def publish(self, event: Event) -> None:
        """Keep `event` for the next batch. Any thread; after `close` it goes nowhere."""
        with self._lock:
            if self._closed:
                return
            first = not (self._news or self._activity)
            self._keep(event)
            # Inside the lock: once `close` has it, no thread touches this object again.
            if first:
                self._woken.emit()

    def flush(self) -> None:
        """Deliver what is waiting now. GUI thread only."""
        if batch := self._take():
            self._pause.start()
            self.events.emit(batch)

    def close(self) -> None:
        """Deliver nothing any more, whatever is still published."""
        with self._lock:
            self._closed = True
        self._take()
        self._pause.stop()

    def _keep(self, event: Event) -> None:
        subject = _subject(event)
        if subject is None:
            self._activity.append(event)
        else:
            self._news.pop(subject, None)
            self._news[subject] = event

    def _take(self) -> list[Event]:
        with self._lock:
            batch = [*self._news.values(), *self._activity]
            self._news.clear()
            self._activity.clear()
        return batch

    def _wake(self) -> None:
        if not self._pause.isActive():
            self.flush()


def _subject(event: Event) -> Hashable | None:
    """What `event` is the last word about: a later event with an equal subject replaces it.
    None: each one counts."""
    match event:
        case ServerStatusChanged(status):
            return ("server", status.ref)
        case ServerRemoved(ref):
            return ("server", ref)
        case AttentionNeeded(ref):
            return (AttentionNeeded, ref)
        case ToolsChanged(workspace, server):
            return (ToolsChanged, workspace, server)
        case DiscoveryProgressed(ref):
            return (DiscoveryProgressed, ref)
        case ApprovalsChanged(ref):
            return (ApprovalsChanged, ref)
        case ListNotKept(ref):
            return (ListNotKept, ref)
        case WorkspacesChanged(workspace):
            return (WorkspacesChanged, workspace)
        case ConfigRejected(path) | ConfigAccepted(path):
            return ("config", path)
        case ListenerStateChanged() | WorkspaceSwitched() | SettingsApplied() | TokensChanged():
            return type(event)
        case PermissionRequested(ask):
            return (PermissionRequested, ask.id)
        case PermissionResolved(ask):
            return (PermissionRequested, ask)
        case ActivityRecorded():
            return None
        case _:
            assert_never(event)
