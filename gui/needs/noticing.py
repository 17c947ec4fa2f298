"""Which notification, if any, is due to the person: one, until they have looked.

Pure but for what it remembers: what the person was told of, and whether they have looked since.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from gui.failures import failure_hint, failure_text
from gui.needs.presenting import Needs, needs
from gui.translating import tr
from router.api.router import RouterPort
from router.domain.failures import Failure
from router.domain.ids import ServerRef
from router.domain.servers import ServerState, ServerStatus

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Notice:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Want:
    """Something only the person can do; what has the same `key` is the same thing."""

    key: Hashable
    name: str
    notice: Notice


class Noticing:
    def __init__(self) -> None:
        self._told: set[Hashable] = set()
        self._unseen = False

    def due(self, wants: Sequence[Want], *, looking: bool) -> Notice | None:
        """What to tell now; nothing to someone who sees it happen, or has not looked yet."""
        keys = {want.key for want in wants}
        news = keys - self._told
        self._told &= keys  # What comes back after it was settled is told again.
        if looking:
            self.looked()
        if self._unseen or not news:
            return None
        self._told |= keys
        self._unseen = not looking
        return None if looking else _notice(wants)

    def looked(self) -> None:
        self._unseen = False


def wants(router: RouterPort, given_up: Mapping[ServerRef, Failure]) -> list[Want]:
    """All that waits for the person, in any workspace."""
    waiting: Needs = needs(router)
    found: list[Want] = []
    for part in waiting.workspaces:
        found += [_of_server(status) for status in part.servers]
        for held in part.held:
            title = tr("%n tools of {name} are held back", "", len(held.tools))
            text = tr("They are new or were changed. Apps don’t see them before you decide.")
            key = ("tools", held.ref, frozenset(tool.key for tool in held.tools))
            found.append(Want(key, held.name, Notice(title.format(name=held.name), text)))
    for ref, failure in given_up.items():
        name = _name(router, ref)
        found.append(Want(("failed", ref), name, _given_up(name, failure)))
    return found


def _of_server(status: ServerStatus) -> Want:
    if status.state is ServerState.NEEDS_SIGN_IN:
        title, text = tr("{name} needs you to sign in"), tr("Until then its tools can’t be called.")
    else:
        title = tr("{name} waits for your approval")
        text = tr("Its command does not run before you agree to it.")
    notice = Notice(title.format(name=status.name), text)
    return Want((status.state, status.ref), status.name, notice)


def _given_up(name: str, failure: Failure) -> Notice:
    cause = failure_text(replace(failure, retry_at=None))
    title = tr("{name} keeps failing").format(name=name)
    return Notice(title, f"{cause}. {failure_hint(failure)}")


def _notice(wants: Sequence[Want]) -> Notice:
    if len(wants) == 1:
        return wants[0].notice
    names = list(dict.fromkeys(want.name for want in wants))
    more = "…" if len(names) > _NAMED else ""
    title = tr("%n things need you", "", len(wants))
    return Notice(title, ", ".join(names[:_NAMED]) + more)


def _name(router: RouterPort, ref: ServerRef) -> str:
    servers = router.servers.list(ref.workspace)
    return next((server.name for server in servers if server.ref == ref), str(ref.server))
