"""Which of a server's upstreams a request goes to: that for all, or a session's or folder's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from router.config.server import Sharing
from router.domain.errors import InvalidInput
from router.domain.failures import Failure
from router.domain.ids import ServerRef
from router.domain.servers import ServerState
from router.upstream.ports import Requester, SessionId
from router.upstream.run_options import Terms
from router.upstream.server_requests import FOLDER_CAPABILITIES, Audience, Questions, askable
from router.wire.mcp import FOLDER_HEADER

_TELLING = (
    ServerState.READY,
    ServerState.CONNECTING,
    ServerState.NEEDS_SIGN_IN,
    ServerState.BACKING_OFF,
    ServerState.FAILED,
)
"""Of several upstreams' states, which one says most about their server, first to last."""


@dataclass(frozen=True, slots=True)
class Place:
    """One upstream of a server. Without session and folder it is the one for everybody."""

    ref: ServerRef
    session: SessionId | None = None
    folder: str | None = None

    @property
    def is_common(self) -> bool:
        return self.session is None and self.folder is None


def place_of(ref: ServerRef, terms: Terms, requester: Requester | None) -> Place:
    """Where a request belongs. Raises `InvalidInput` if its client does not say where it works."""
    if requester is None:
        return Place(ref)
    if terms.follows_client and requester.folder is None:
        raise InvalidInput(
            f"{terms.name or ref.server} works in the folder of its client, and this client has "
            "not said which one that is.",
            f"Have the client send its folder in the header {FOLDER_HEADER}, or as its roots.",
        )
    return Place(
        ref,
        session=requester.session if terms.sharing is Sharing.PER_SESSION else None,
        folder=requester.folder if terms.follows_client else None,
    )


def audience_of(place: Place, terms: Terms, requester: Requester | None) -> Audience:
    """For whom the upstream at `place` is opened."""
    if place.session is not None and requester is not None:
        capabilities = askable(requester.capabilities)
        folder = None if "roots" in capabilities else requester.folder
        if folder is not None:
            capabilities["roots"] = {}
        return Audience(capabilities, Questions(folder, resident=requester))
    if place.folder is not None:
        return Audience(FOLDER_CAPABILITIES, Questions(place.folder))
    if terms.sharing is Sharing.PER_SESSION:  # opened to learn its lists: all it may offer
        return Audience(FOLDER_CAPABILITIES)
    return Audience()


def most_telling(
    states: Iterable[tuple[ServerState, Failure | None]],
) -> tuple[ServerState, Failure | None]:
    """The state to show for a server whose upstreams are in these."""
    known = list(states)
    for telling in _TELLING:
        for state, failure in known:
            if state is telling:
                return state, failure
    return ServerState.IDLE, None
