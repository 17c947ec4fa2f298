"""MCP for clients, in all its revisions: what each method answers. How messages come and go over
HTTP is `front.py`'s matter; of the SDK we use what judges and seals, not what carries.

The answers are plain JSON objects, handed on as they are: unknown fields stay.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import cast

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.methods import INPUT_REQUIRED_METHODS
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)

from router import __version__
from router.domain.clients import Principal
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject, as_object
from router.gateway.http.active_requests import Admissions
from router.gateway.http.authentication import Refusal
from router.gateway.http.jsonrpc import Notice, Result, is_id, joined
from router.gateway.session.client_peer import ClientAtHand, ClientInSession, StatelessClient
from router.gateway.session.incoming import Incoming
from router.gateway.session.input_required import Rounds
from router.gateway.session.sessions import OpenedSession, Session, Sessions, opening_capabilities
from router.gateway.session.subscriptions import Changes, Follower, Lists
from router.gateway.tools.activity_recorder import Request
from router.gateway.tools.exposures import Exposures
from router.gateway.tools.pass_through import PassThrough
from router.runtime.tasks import spawn
from router.runtime.tracing import begin_trace, current_trace
from router.upstream.ports import SessionId

_SERVER_INFO: JsonObject = {"name": "toolbooth", "title": "Toolbooth", "version": __version__}
_CAPABILITIES: JsonObject = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}
_NOT_CACHED: JsonObject = {"ttlMs": 0, "cacheScope": "private"}
"""A client may not reuse a listing: permissions and the workspace can change at any moment."""

_CACHEABLE = (
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
)

_Method = Callable[[Request], Awaitable[Result]]
_OfOlder = Callable[[Incoming, OpenedSession], Awaitable[JsonObject]]
_OfStateless = Callable[[Incoming, Session], Awaitable[JsonObject]]


class Protocol:
    """Answers what clients ask, with what `exposures` and `passing` have."""

    def __init__(
        self,
        exposures: Exposures,
        passing: PassThrough,
        admissions: Admissions,
        on_session_end: Callable[[SessionId], None],
    ) -> None:
        self._exposures = exposures
        self._passing = passing
        self._on_session_end = on_session_end
        self._admissions = admissions
        self._rounds = Rounds()
        self.sessions = Sessions(self._ended)
        self.changes = Changes(self._lists, self._unsubscribed)
        self._methods: dict[str, _Method] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            **passing.methods,
        }
        self._of_older: dict[str, _OfOlder] = {
            "initialize": self._initialize_again,
            "ping": self._pong,
            "logging/setLevel": self._set_log_level,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }
        self._of_stateless: dict[str, _OfStateless] = {
            "server/discover": self._discover,
            "subscriptions/listen": self._listen,
        }

    def initialize(self, incoming: Incoming) -> tuple[JsonObject, OpenedSession]:
        """Begin a session of an older revision: what its client is told, and the session."""
        result = self._initialized(incoming)
        return result, self.sessions.open(incoming, result["protocolVersion"])

    async def answer(self, incoming: Incoming, session: OpenedSession | None) -> Result:
        """The result of a request, in the session it came in if it is of an older revision. Raises
        `MCPError`, `ValidationError`."""
        begin_trace()
        place = session or self.sessions.stateless(incoming)
        place.under_way += 1
        try:
            await self.sessions.locate(place, incoming)
            return self._stamped(incoming, await self._result(incoming, place))
        finally:
            place.under_way -= 1

    def mirrored(self, caller: Principal, name: object) -> JsonObject | None:
        """The input schema of a tool whose arguments are repeated in headers."""
        return self._exposures.mirrored(caller, name) if isinstance(name, str) else None

    def notice(self, notice: Notice, session: OpenedSession) -> None:
        """A client of an older revision says something that needs no answer."""
        match notice.method:
            case "notifications/initialized":
                self.changes.follow(session)
            case "notifications/cancelled":
                number = notice.params.get("requestId")
                if is_id(number):
                    session.stop(number)
            case "notifications/roots/list_changed" if session.said_folder is None:
                session.folder = None
            case _:
                pass

    def close_streams(self) -> None:
        """End what stands open until its client leaves, so that nobody waits for it when we
        stop."""
        self.changes.close()
        self.sessions.close_streams()

    async def _result(self, incoming: Incoming, session: Session) -> Result:
        if (method := self._methods.get(incoming.method)) is None:
            return await self._special(incoming, session)
        client = _client(session, incoming)
        if incoming.method not in INPUT_REQUIRED_METHODS:
            return await self._while_admitted(method, _request(incoming, client))

        async def ask(params: JsonObject) -> JsonObject:
            result = self._while_admitted(method, _request(incoming, client, params))
            return cast(JsonObject, await result)

        return await self._rounds.answer(incoming, client, ask)

    async def _while_admitted(self, method: _Method, request: Request) -> Result:
        """What ends with its token, or with us, is answered with that; and a call that is kept for
        its next round outlives what the gate has let in."""
        try:
            return await self._admissions.run(request.caller.token, method(request))
        except Refusal as refusal:
            raise MCPError(types.INVALID_REQUEST, str(refusal)) from None

    async def _special(self, incoming: Incoming, session: Session) -> JsonObject:
        """What only one era knows."""
        if isinstance(session, OpenedSession):
            if (of_older := self._of_older.get(incoming.method)) is not None:
                return await of_older(incoming, session)
        elif (of_stateless := self._of_stateless.get(incoming.method)) is not None:
            return await of_stateless(incoming, session)
        raise MCPError(types.METHOD_NOT_FOUND, "Method not found", incoming.method)

    async def _list_tools(self, request: Request) -> Result:
        return self._exposures.list_tools(request).written

    async def _call_tool(self, request: Request) -> JsonObject:
        name = request.params.get("name")
        arguments = request.params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise MCPError(types.INVALID_PARAMS, "A tool call needs a name and its arguments.")
        return await self._exposures.call_tool(request, name, cast(JsonObject, arguments))

    def _stamped(self, incoming: Incoming, result: Result) -> Result:
        """`result` with what its protocol revision asks of every result."""
        if not incoming.modern:
            return result
        caching = _NOT_CACHED if incoming.method in _CACHEABLE else {}
        stamp: JsonObject = {types.SERVER_INFO_META_KEY: _SERVER_INFO}
        if isinstance(result, bytes):
            return joined({"resultType": "complete", **caching, "_meta": stamp}, result)
        if result.get("resultType", "complete") != "complete":
            caching = {}
        meta = {**as_object(result.get("_meta")), **stamp}
        return {"resultType": "complete", **caching, **result, "_meta": meta}

    # What only one era knows, and what its clients follow

    def _initialized(self, incoming: Incoming) -> JsonObject:
        asked = types.InitializeRequestParams.model_validate(incoming.params, by_name=False)
        known = asked.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
        return {
            "protocolVersion": asked.protocol_version if known else LATEST_HANDSHAKE_VERSION,
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER_INFO,
            "instructions": self._exposures.instructions(incoming.caller),
        }

    async def _initialize_again(self, incoming: Incoming, session: OpenedSession) -> JsonObject:
        result = self._initialized(incoming)
        session.capabilities = opening_capabilities(incoming)
        session.version = result["protocolVersion"]
        return result

    async def _discover(self, incoming: Incoming, session: Session) -> JsonObject:
        return {
            "supportedVersions": list(MODERN_PROTOCOL_VERSIONS),
            "capabilities": _CAPABILITIES,
            "instructions": self._exposures.instructions(incoming.caller),
        }

    async def _pong(self, incoming: Incoming, session: OpenedSession) -> JsonObject:
        return {}

    async def _set_log_level(self, incoming: Incoming, session: OpenedSession) -> JsonObject:
        asked = types.SetLevelRequestParams.model_validate(incoming.params, by_name=False)
        session.log_level = asked.level
        return {}

    async def _subscribe(self, incoming: Incoming, session: OpenedSession) -> JsonObject:
        asked = types.SubscribeRequestParams.model_validate(incoming.params, by_name=False)
        request = _request(incoming, _client(session, incoming))
        place = await self._passing.subscribe(request, str(asked.uri))
        self.changes.subscribed(self.changes.follow(session), place, str(asked.uri))
        return {}

    async def _unsubscribe(self, incoming: Incoming, session: OpenedSession) -> JsonObject:
        asked = types.UnsubscribeRequestParams.model_validate(incoming.params, by_name=False)
        ref, address = self._passing.address(_request(incoming), str(asked.uri))
        self.changes.drop(self.changes.follow(session), ref, address)
        return {}

    async def _listen(self, incoming: Incoming, session: Session) -> JsonObject:
        asked = types.SubscriptionsListenRequestParams.model_validate(
            incoming.params, by_name=False
        )
        request = _request(incoming, _client(session, incoming))

        async def subscribe(follower: Follower, address: str) -> None:
            try:
                place = await self._passing.subscribe(request, address)
            except MCPError:
                return  # like a subscription to a resource that never changes
            self.changes.subscribed(follower, place, address)

        def subscribe_all(follower: Follower, addresses: Sequence[str]) -> None:
            for address in addresses:
                spawn(subscribe(follower, address), name="subscribe")

        wanted = asked.notifications
        return await self.changes.listen(incoming, session, wanted, subscribe_all)

    def _ended(self, session: Session) -> None:
        self.changes.forget(session)
        self._on_session_end(session.id)

    def _lists(self, caller: Principal) -> Lists:
        return (self._exposures.listing(caller), *self._passing.offers(caller))

    def _unsubscribed(self, ref: ServerRef, address: str) -> None:
        spawn(self._passing.unsubscribe(ref, address), name="unsubscribe")


def _client(session: Session, incoming: Incoming) -> ClientAtHand:
    if isinstance(session, OpenedSession):
        return ClientInSession(session, incoming)
    return StatelessClient(session, incoming)


def _request(
    incoming: Incoming, client: ClientAtHand | None = None, params: JsonObject | None = None
) -> Request:
    params = incoming.params if params is None else params
    wants_progress = incoming.meta.get("progressToken") is not None
    return Request(
        id=current_trace(),
        caller=incoming.caller,
        params=params,
        on_progress=client.progress if client is not None and wants_progress else None,
        requester=client,
    )
