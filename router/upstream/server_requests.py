"""What a server asks and tells in between: which client it means, and who answers.

A server behind HTTP sends its question on the stream of the request it belongs to. Others don't
say: then it can only be meant for a session that has a request under way, and if there are several
nobody is asked, because a question to the wrong person is worse than none. A server that works in
its client's folder learns that folder from us, whoever asks.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject, as_object
from router.upstream.pending_request import Pending
from router.upstream.ports import Requester
from router.wire.mcp import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND

_CAPABILITY_FOR = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
TOLD = ("notifications/message", "notifications/elicitation/complete")
"""What a server says to one client in particular."""
ASKABLE = frozenset(_CAPABILITY_FOR.values())
SHARED_CAPABILITIES: JsonObject = {"elicitation": {"form": {}, "url": {}}, "sampling": {}}
"""What can be asked through a connection that many clients use; each may still be unable to. No
roots: those of one client are not another's."""
FOLDER_CAPABILITIES: JsonObject = {**SHARED_CAPABILITIES, "roots": {}}


def askable(capabilities: JsonObject) -> JsonObject:
    """Of a client's capabilities those that are about what it can be asked."""
    return {name: value for name, value in capabilities.items() if name in ASKABLE}


class Questions:
    def __init__(self, folder: str | None = None, resident: Requester | None = None) -> None:
        """`folder` is where the server works for its client, if it does; `resident` is the only
        client there is, reachable between its requests too."""
        self._folder = folder
        self._resident = resident

    def meant(self, under_way: Collection[Pending], related: Pending | None) -> Pending | None:
        """The request a server's word belongs to, if there can be only one answer."""
        if related is not None:
            return related if related.requester is not None else None
        waiting = [pending for pending in under_way if pending.requester is not None]
        sessions = {pending.requester.session for pending in waiting if pending.requester}
        return waiting[-1] if len(sessions) == 1 else None

    async def answer(self, method: str, params: JsonObject, pending: Pending | None) -> JsonObject:
        """The answer to a server's question. Raises `UpstreamAnsweredError` with why there is
        none."""
        if (capability := _CAPABILITY_FOR.get(method)) is None:
            raise UpstreamAnsweredError(METHOD_NOT_FOUND, f"Method not found: {method[:100]}")
        if method == "roots/list" and self._folder is not None:
            return {"roots": [_root(self._folder)]}
        requester = pending.requester if pending is not None else self._resident
        if requester is None:
            raise UpstreamAnsweredError(
                INVALID_REQUEST,
                f"Toolbooth can't tell which client {method} is for: none, or more than one, has a "
                "call under way here. A server that asks should be per-session.",
            )
        if capability not in requester.capabilities:
            reason = f"This client can't be asked for {capability}."
            raise UpstreamAnsweredError(METHOD_NOT_FOUND, reason)
        if params.get("mode") == "url" and not _opens_pages(requester.capabilities):
            raise UpstreamAnsweredError(INVALID_PARAMS, "This client can't open pages for people.")
        return await requester.ask(method, params)


@dataclass(frozen=True, slots=True)
class Audience:
    """The clients a connection serves: what we say they can be asked, and who is meant."""

    capabilities: JsonObject = field(default_factory=lambda: SHARED_CAPABILITIES)
    questions: Questions = field(default_factory=Questions)


EVERYBODY = Audience()


def _opens_pages(capabilities: JsonObject) -> bool:
    """A client that can be asked at all can show forms; pages it must name."""
    return "url" in as_object(capabilities.get("elicitation"))


def _root(folder: str) -> JsonObject:
    return {"uri": Path(folder).as_uri(), "name": Path(folder).name}


def input_requests(result: JsonObject) -> dict[str, JsonObject] | None:
    """What a modern server wants to know before it answers; `None` if this is its answer."""
    if result.get("resultType") != "input_required":
        return None
    asked = as_object(result.get("inputRequests"))
    return {key: as_object(question) for key, question in asked.items()}
