"""MCP for clients, in all its revisions: what each method answers. How messages come and go over
HTTP is `front.py`'s matter; of the SDK we use what judges and seals, not what carries.

The answers are plain JSON objects, handed on as they are: unknown fields stay.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, cast

import mcp_types as types
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types.methods import INPUT_REQUIRED_METHODS
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)

from router import __version__
from router.exchange import SessionId
from router.gateway.admissions import Admissions
from router.gateway.changes import Changes, Follower, Lists
from router.gateway.clients import ClientAtHand
from router.gateway.exposures import Exposures
from router.gateway.incoming import Incoming
from router.gateway.jsonrpc import Notice, Result, is_id, joined
from router.gateway.passing import PassThrough
from router.gateway.recording import Request
from router.gateway.rounds import KEPT_S, Round, Rounds, for_server, is_ours, passed_on
from router.gateway.sessions import Session, Sessions, opening_capabilities
from router.model import Caller, JsonObject, ServerRef, as_object
from router.tasks import spawn
from router.tracing import begin_trace, current_trace
from router.upstream.questions import askable

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
_Special = Callable[[Incoming, Session], Awaitable[JsonObject]]


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
        self._admissions = admissions
        self._on_session_end = on_session_end
        self._rounds = Rounds()
        self.sessions = Sessions(self._ended)
        self.changes = Changes(self._lists, self._unsubscribed)
        security = RequestStateSecurity.ephemeral(ttl=KEPT_S)
        security.bind_principal = cast(Any, _principal)
        self._seal = cast(Any, RequestStateBoundary(security, default_audience="toolbooth"))
        self._methods: dict[str, _Method] = {
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
            **passing.methods,
        }
        self._of_older: dict[str, _Special] = {
            "initialize": self._initialize_again,
            "ping": self._pong,
            "logging/setLevel": self._set_log_level,
            "resources/subscribe": self._subscribe,
            "resources/unsubscribe": self._unsubscribe,
        }
        self._of_stateless: dict[str, _Special] = {
            "server/discover": self._discover,
            "subscriptions/listen": self._listen,
        }

    def initialize(self, incoming: Incoming) -> tuple[JsonObject, Session]:
        """Begin a session of an older revision: what its client is told, and the session."""
        result = self._initialized(incoming)
        return result, self.sessions.open(incoming, result["protocolVersion"])

    async def answer(self, incoming: Incoming, session: Session | None) -> Result:
        """The result of a request, in the session it came in if it is of an older revision. Raises
        `MCPError`, `ValidationError`."""
        begin_trace()
        if session is None:
            session = self.sessions.stateless(incoming)
        session.under_way += 1
        try:
            await self.sessions.locate(session, incoming)
            return self._stamped(incoming, await self._result(incoming, session))
        finally:
            session.under_way -= 1

    def mirrored(self, caller: Caller, name: object) -> JsonObject | None:
        """The input schema of a tool whose arguments are repeated in headers."""
        return self._exposures.mirrored(caller, name) if isinstance(name, str) else None

    def notice(self, notice: Notice, session: Session) -> None:
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
            special = self._of_stateless if incoming.modern else self._of_older
            if (own := special.get(incoming.method)) is None:
                raise MCPError(types.METHOD_NOT_FOUND, "Method not found", incoming.method)
            return await own(incoming, session)
        client = ClientAtHand(session, incoming)
        if incoming.method not in INPUT_REQUIRED_METHODS:
            return await self._while_admitted(method, _request(incoming, client))

        async def in_rounds(unsealed: Incoming) -> Result:
            return await self._in_rounds(unsealed, client, method)

        return await self._seal(incoming, in_rounds)

    async def _in_rounds(self, incoming: Incoming, client: ClientAtHand, method: _Method) -> Result:
        """Answer a request, or in the stateless revision say what its server wants to know."""
        params = incoming.params
        state = params.get("requestState")
        if is_ours(state):
            answers = as_object(params.get("inputResponses"))
            return await self._rounds.resume(str(state), incoming, answers)
        call = partial(self._called, method, _request(incoming, client, for_server(params)))
        if not client.modern or not askable(client.capabilities):
            return passed_on(await call())
        client.round = this = Round()
        this.continued = lambda request: client.continued(cast(Incoming, request))
        return await self._rounds.begin(this, call)

    async def _called(self, method: _Method, request: Request) -> JsonObject:
        return cast(JsonObject, await self._while_admitted(method, request))

    async def _while_admitted(self, method: _Method, request: Request) -> Result:
        """What is kept for later rounds outlives its connection, so it is ended here as well."""
        with self._admissions.admitted(request.caller.token) as admission:
            return await method(request)
        raise MCPError(types.INVALID_REQUEST, str(admission.refusal))

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

    # What only one era knows

    def _initialized(self, incoming: Incoming) -> JsonObject:
        asked = types.InitializeRequestParams.model_validate(incoming.params, by_name=False)
        known = asked.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
        return {
            "protocolVersion": asked.protocol_version if known else LATEST_HANDSHAKE_VERSION,
            "capabilities": _CAPABILITIES,
            "serverInfo": _SERVER_INFO,
            "instructions": self._exposures.instructions(incoming.caller),
        }

    async def _initialize_again(self, incoming: Incoming, session: Session) -> JsonObject:
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

    async def _pong(self, incoming: Incoming, session: Session) -> JsonObject:
        return {}

    async def _set_log_level(self, incoming: Incoming, session: Session) -> JsonObject:
        asked = types.SetLevelRequestParams.model_validate(incoming.params, by_name=False)
        session.log_level = asked.level
        return {}

    # Sessions, and what their clients follow

    async def _subscribe(self, incoming: Incoming, session: Session) -> JsonObject:
        asked = types.SubscribeRequestParams.model_validate(incoming.params, by_name=False)
        request = _request(incoming, ClientAtHand(session, incoming))
        place = await self._passing.subscribe(request, str(asked.uri))
        self.changes.subscribed(self.changes.follow(session), place, str(asked.uri))
        return {}

    async def _unsubscribe(self, incoming: Incoming, session: Session) -> JsonObject:
        asked = types.UnsubscribeRequestParams.model_validate(incoming.params, by_name=False)
        ref, address = self._passing.address(_request(incoming), str(asked.uri))
        self.changes.drop(self.changes.follow(session), ref, address)
        return {}

    async def _listen(self, incoming: Incoming, session: Session) -> JsonObject:
        asked = types.SubscriptionsListenRequestParams.model_validate(
            incoming.params, by_name=False
        )
        request = _request(incoming, ClientAtHand(session, incoming))

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

    def _lists(self, caller: Caller) -> Lists:
        return (self._exposures.listing(caller), *self._passing.offers(caller))

    def _unsubscribed(self, ref: ServerRef, address: str) -> None:
        spawn(self._passing.unsubscribe(ref, address), name="unsubscribe")


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


def _principal(incoming: Incoming) -> str:
    """To whom a state we give out belongs."""
    caller = incoming.caller
    return repr((caller.token, caller.workspace, caller.project))
