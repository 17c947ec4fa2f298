"""Which notification is due: one for everything that needs attention, until the user has seen it.

Pure but for its memory of what was notified and whether the user has looked since.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from gui.components.attention.needs_attention import find_attention
from gui.text.errors import failure_hint, failure_text
from gui.text.tr import tr
from router.api.router import RouterPort
from router.domain.failures import Failure
from router.domain.ids import ServerRef
from router.domain.servers import ServerState, ServerStatus

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Notification:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class AttentionItem:
    """Something only the user can do; an equal `key` means the same thing."""

    key: Hashable
    name: str
    notification: Notification


class NotificationPolicy:
    def __init__(self) -> None:
        self._notified: set[Hashable] = set()
        self._unseen = False

    def due(self, items: Sequence[AttentionItem], *, watching: bool) -> Notification | None:
        """The notification to show now; none while the user watches, or has not seen the last."""
        keys = {item.key for item in items}
        new = keys - self._notified
        self._notified &= keys  # What comes back after it was settled is notified again.
        if watching:
            self.mark_seen()
        if self._unseen or not new:
            return None
        self._notified |= keys
        self._unseen = not watching
        return None if watching else _combined(items)

    def mark_seen(self) -> None:
        self._unseen = False


def attention_items(
    router: RouterPort, given_up: Mapping[ServerRef, Failure]
) -> list[AttentionItem]:
    """Everything that needs attention, in any workspace."""
    found: list[AttentionItem] = []
    for part in find_attention(router).workspaces:
        found += [_of_server(status) for status in part.servers]
        for pending in part.pending:
            title = tr("%n items of {name} need approval", "", len(pending.tools))
            text = tr("They are new or have changed. Apps can’t use them until you approve them.")
            key = ("tools", pending.ref, frozenset(tool.key for tool in pending.tools))
            notification = Notification(title.format(name=pending.name), text)
            found.append(AttentionItem(key, pending.name, notification))
    for ref, failure in given_up.items():
        name = _name(router, ref)
        found.append(AttentionItem(("failed", ref), name, _given_up(name, failure)))
    return found


def _of_server(status: ServerStatus) -> AttentionItem:
    if status.state is ServerState.NEEDS_SIGN_IN:
        title, text = tr("Sign in to {name}"), tr("Apps can’t use its tools until you sign in.")
    else:
        title = tr("{name} needs your approval")
        text = tr("Its command won’t run until you approve it.")
    notification = Notification(title.format(name=status.name), text)
    return AttentionItem((status.state, status.ref), status.name, notification)


def _given_up(name: str, failure: Failure) -> Notification:
    cause = failure_text(replace(failure, retry_at=None))
    title = tr("{name} keeps failing").format(name=name)
    return Notification(title, f"{cause}. {failure_hint(failure)}")


def _combined(items: Sequence[AttentionItem]) -> Notification:
    if len(items) == 1:
        return items[0].notification
    names = list(dict.fromkeys(item.name for item in items))
    more = "…" if len(names) > _NAMED else ""
    title = tr("%n items need attention", "", len(items))
    return Notification(title, ", ".join(names[:_NAMED]) + more)


def _name(router: RouterPort, ref: ServerRef) -> str:
    servers = router.servers.list(ref.workspace)
    return next((server.name for server in servers if server.ref == ref), str(ref.server))
