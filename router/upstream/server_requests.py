"""Requests and notifications from servers to clients: which client they are for, and who responds.

A server behind HTTP sends a request on the stream of the call it belongs to. Others don't say: then
it can only be for a session that has a call in progress, and if there are several it is refused,
because asking the wrong user is worse than asking no one. To a server that works in its client's
folder we name that folder ourselves.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from router.domain.errors import UpstreamAnsweredError
from router.domain.json_values import JsonObject, as_object
from router.upstream.pending_request import PendingRequest
from router.upstream.ports import ClientPeer
from router.wire.mcp import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND

_CAPABILITY_FOR = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
CLIENT_NOTIFICATIONS = ("notifications/message", "notifications/elicitation/complete")
"""Those that are for one client in particular."""
SHARED_CAPABILITIES: JsonObject = {"elicitation": {"form": {}, "url": {}}, "sampling": {}}
"""What we declare on a connection that many clients share; a request may still be refused for lack
of it. No roots: one client's are not another's."""
FOLDER_CAPABILITIES: JsonObject = {**SHARED_CAPABILITIES, "roots": {}}


def features_of(capabilities: JsonObject) -> JsonObject:
    """The client features among a client's capabilities: the requests of servers that it takes."""
    return {name: value for name, value in capabilities.items() if name in _CAPABILITY_FOR.values()}


@dataclass(frozen=True, slots=True)
class ClientFeatures:
    """MCP's client features (elicitation, sampling, roots) on one connection: what we declare, and
    who responds."""

    capabilities: JsonObject = field(default_factory=lambda: SHARED_CAPABILITIES)
    folder: str | None = None
    """The client's folder, if the server works there."""
    only_client: ClientPeer | None = None
    """Set if there is only one client, which is then reachable between its requests too."""

    def call_of(
        self, under_way: Collection[PendingRequest], related: PendingRequest | None
    ) -> PendingRequest | None:
        """The call that a server's message belongs to, if that is certain."""
        if related is not None:
            return related if related.options.client is not None else None
        calls = [(each, client) for each in under_way if (client := each.options.client)]
        sessions = {client.session for _, client in calls}
        return calls[-1][0] if len(sessions) == 1 else None

    async def respond(
        self, method: str, params: JsonObject, pending: PendingRequest | None
    ) -> JsonObject:
        """The result for a server's request. Raises `UpstreamAnsweredError` if there is none."""
        if (capability := _CAPABILITY_FOR.get(method)) is None:
            raise UpstreamAnsweredError(METHOD_NOT_FOUND, f"Method not found: {method[:100]}")
        if method == "roots/list" and self.folder is not None:
            return {"roots": [_root(self.folder)]}
        client = self.only_client if pending is None else pending.options.client
        if client is None:
            raise UpstreamAnsweredError(
                INVALID_REQUEST,
                f"Toolbooth can't tell which client {method} is for: none, or more than one, has a "
                "call under way here. A server that asks should be per-session.",
            )
        if capability not in client.capabilities:
            reason = f"This client can't be asked for {capability}."
            raise UpstreamAnsweredError(METHOD_NOT_FOUND, reason)
        if params.get("mode") == "url" and not _takes_urls(client.capabilities):
            raise UpstreamAnsweredError(INVALID_PARAMS, "This client can't open pages for people.")
        return await client.request(method, params)


SHARED_FEATURES = ClientFeatures()


def _takes_urls(capabilities: JsonObject) -> bool:
    """A client with elicitation takes forms; that it takes URLs too it must declare."""
    return "url" in as_object(capabilities.get("elicitation"))


def _root(folder: str) -> JsonObject:
    return {"uri": Path(folder).as_uri(), "name": Path(folder).name}


def input_requests(result: JsonObject) -> dict[str, JsonObject] | None:
    """The `inputRequests` of an `input_required` result; `None` for any other result."""
    if result.get("resultType") != "input_required":
        return None
    requests = as_object(result.get("inputRequests"))
    return {key: as_object(request) for key, request in requests.items()}
