"""Router events, delivered to widgets on the GUI thread.

`publish` may be called on any thread. Subscribers receive batches, at most `BATCHES_PER_SECOND`.
Between two batches a later event about the same subject replaces the earlier one, so a burst costs
one repaint and a busy window never makes memory grow. Knows nothing of widgets, and nothing of the
router but its events.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar, assert_never
from weakref import WeakMethod, ref

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import Shiboken

from router.api.events import (
    ActivityRecorded,
    AttentionNeeded,
    ConfigAccepted,
    ConfigRejected,
    ConfirmationsChanged,
    DiscoveryProgressed,
    Event,
    ListenerStateChanged,
    PermissionRequested,
    PermissionResolved,
    ServerRemoved,
    ServerStatusChanged,
    SettingsApplied,
    StorageStateChanged,
    TokensChanged,
    ToolsChanged,
    WindowRequested,
    WorkspacesChanged,
    WorkspaceSwitched,
)

BATCHES_PER_SECOND = 20
MAX_ACTIVITY_PER_BATCH = 500


E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class _Subscription:
    """Keeps neither `owner` nor the object that `handler` is a method of alive."""

    owner: ref[QObject]
    handler: WeakMethod[Callable[[Sequence[Any]], object]]
    kinds: tuple[type[Any], ...]

    @property
    def is_alive(self) -> bool:
        owner = self.owner()
        return owner is not None and Shiboken.isValid(owner)

    def deliver(self, batch: list[Event]) -> None:
        events = [e for e in batch if isinstance(e, self.kinds)] if self.kinds else batch
        handler = self.handler()
        # A handler before this one may have destroyed the owner.
        if events and handler is not None and self.is_alive:
            handler(events)


class EventBridge(QObject):
    """A batch has the latest event of each subject, in the order they last changed, then the newest
    activity, oldest first."""

    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = Lock()
        self._latest: dict[Hashable, Event] = {}
        self._activity: deque[Event] = deque(maxlen=MAX_ACTIVITY_PER_BATCH)
        self._subscriptions: list[_Subscription] = []
        self._closed = False
        self._pause = QTimer(self, singleShot=True, interval=1000 // BATCHES_PER_SECOND)
        self._pause.timeout.connect(self.flush)
        self._woken.connect(self._wake, Qt.ConnectionType.QueuedConnection)

    def subscribe(
        self, owner: QObject, handler: Callable[[Sequence[E]], object], *kinds: type[E]
    ) -> None:
        """Call `handler`, a bound method, with the events of `kinds` in each batch that has any;
        without `kinds`, with every batch. Ends when `owner` is destroyed. GUI thread only."""
        self._subscriptions.append(_Subscription(ref(owner), WeakMethod(handler), kinds))

    def publish(self, event: Event) -> None:
        """Keep `event` for the next batch. Any thread; dropped after `close`."""
        with self._lock:
            if self._closed:
                return
            first = not (self._latest or self._activity)
            self._keep(event)
            # Inside the lock: once `close` has it, no thread touches this object again.
            if first:
                self._woken.emit()

    def flush(self) -> None:
        """Deliver what is pending now. GUI thread only."""
        batch = self._take()
        if not batch:
            return
        self._pause.start()
        self._subscriptions = [each for each in self._subscriptions if each.is_alive]
        for subscription in tuple(self._subscriptions):
            subscription.deliver(batch)

    def close(self) -> None:
        """Deliver nothing from now on, whatever is still published."""
        with self._lock:
            self._closed = True
        self._take()
        self._pause.stop()

    def _keep(self, event: Event) -> None:
        subject = _subject(event)
        if subject is None:
            self._activity.append(event)
        else:
            self._latest.pop(subject, None)
            self._latest[subject] = event

    def _take(self) -> list[Event]:
        with self._lock:
            batch = [*self._latest.values(), *self._activity]
            self._latest.clear()
            self._activity.clear()
        return batch

    def _wake(self) -> None:
        if not self._pause.isActive():
            self.flush()


def _subject(event: Event) -> Hashable | None:
    """A later event with an equal subject replaces this one; None: every event counts.

    A new event is a type error until it is handled here, and a test fails until a subscriber
    names it.
    """
    match event:
        case ServerStatusChanged(status):
            return ("server", status.ref)
        case ServerRemoved(ref):
            return ("server", ref)
        case AttentionNeeded(ref) | DiscoveryProgressed(ref):
            return (type(event), ref)
        case ToolsChanged(workspace, server):
            return (ToolsChanged, workspace, server)
        case WorkspacesChanged(subject) | WindowRequested(subject):
            return (type(event), subject)
        case ConfigRejected(path) | ConfigAccepted(path):
            return ("config", path)
        case ListenerStateChanged() | StorageStateChanged() | WorkspaceSwitched():
            return type(event)
        case SettingsApplied() | TokensChanged():
            return type(event)
        case ConfirmationsChanged():
            return type(event)
        case PermissionRequested(request):
            return ("permission", request.id)
        case PermissionResolved(request_id):
            return ("permission", request_id)
        case ActivityRecorded():
            return None
        case _:
            assert_never(event)
