"""The gate in front of the MCP endpoint: what is wrong with a request is said here, before any of
its content is acted on.

Order: repeated headers, Host, Origin, path, method, address, content type, token, body, boundary.
A wrong token is refused before the body is read; a request without one may carry it in
`_meta.token`.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, cast
from urllib.parse import parse_qsl

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from router.gateway.admissions import Admissions
from router.gateway.callers import CallerRules, Claims, Refusal
from router.gateway.guesses import Guesses
from router.model import Caller, JsonObject, as_object

CALLER = "toolbooth.caller"
"""Where in the ASGI scope the gate leaves the `Caller`."""

RECALL = "toolbooth.recall"
"""Where it leaves how to decide that again, when the settings have changed."""

MAX_BODY_BYTES = 4 * 1024 * 1024
BODY_DEADLINE_S = 10
_PATH = re.compile(r"/mcp(?:/w/(?P<workspace>[^/]+)(?:/p/(?P<project>[^/]+))?)?/?")
_METHODS = ("GET", "POST", "DELETE")
_TOKEN_PARAMETERS = frozenset({"token", "access_token", "api_key", "key"})
_SAID_ONCE = frozenset({b"host", b"origin", b"authorization", b"toolbooth-project"})
_DROPPED = b"last-event-id"  # Nothing is kept that a stream could be resumed from.


_EXPLAINED = {
    401: {"WWW-Authenticate": "Bearer"},
    429: {"Retry-After": "10", "Connection": "close"},
}
"""Headers that go with a refusal."""


class UnfitBody(ValueError):
    """JSON that another reader might take otherwise than we do."""


class Guard:
    def __init__(
        self,
        app: ASGIApp,
        rules: CallerRules,
        hosts: Callable[[], frozenset[str]],
        on_refusal: Callable[[Refusal], None],
        on_caller: Callable[[Caller], None],
        admissions: Admissions,
    ) -> None:
        self._app = app
        self._rules = rules
        self._hosts = hosts
        self._on_refusal = on_refusal
        self._on_caller = on_caller
        self._admissions = admissions
        self._guesses = Guesses(time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            receive = await self._admit(scope, receive)
        except Refusal as refusal:
            await _refuse(self._noted(refusal), scope, receive, send)
            return
        await self._serve(scope, receive, send)

    def _noted(self, refusal: Refusal) -> Refusal:
        """What is answered to a refused request, once it is noted. Of many wrong tokens only the
        first are noted one by one."""
        if refusal.guessed and self._guesses.too_many():
            refusal = Refusal(429, "Too many wrong tokens. Try again in a while.", refusal.client)
            if not self._guesses.is_news():
                return refusal
        self._on_refusal(refusal)
        return refusal

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on while its token holds; after that its answer just breaks off."""
        answering = False

        async def watched(message: Message) -> None:
            nonlocal answering
            answering = True
            await send(message)

        with self._admissions.admitted(caller_of(scope).token) as admission:
            await self._app(scope, receive, watched)
        if admission.refusal is not None and not answering:
            await _refuse(admission.refusal, scope, receive, send)

    async def _admit(self, scope: Scope, receive: Receive) -> Receive:
        """Let the request pass with its caller in the scope, or raise the `Refusal` it gets."""
        headers = _headers(scope)
        place = self._check_address(scope, headers)
        token = self._rules.authenticate(bearer) if (bearer := _bearer(headers)) else None
        meta: JsonObject = {}
        if scope["method"] == "POST":
            body = await _body_in_time(receive, headers)
            meta = _meta(body)
            receive = _replay(body, receive)
        if bearer is None:
            token = self._rules.authenticate(_text(meta.get("token")))
        claims = Claims(
            path_workspace=place["workspace"],
            path_project=place["project"],
            header_project=headers.get("toolbooth-project"),
            meta_project=_text(meta.get("projectId")),
        )
        caller = self._rules.caller(token, claims)
        scope[CALLER] = caller
        scope[RECALL] = partial(self._rules.caller, token, claims)
        scope["user"] = _principal(token.id if token else "open")
        scope["headers"] = [header for header in scope["headers"] if header[0] != _DROPPED]
        self._on_caller(caller)
        return receive

    def _check_address(self, scope: Scope, headers: dict[str, str]) -> dict[str, str | None]:
        hosts = self._hosts()
        if headers.get("host") not in hosts:
            raise Refusal(421, "This Host is not served here.")
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in hosts}:
            raise Refusal(403, "This Origin may not connect.")
        place = _PATH.fullmatch(scope["path"])
        if place is None:
            raise Refusal(404, "The MCP endpoint is /mcp.")
        if scope["method"] not in _METHODS:
            raise Refusal(405, "Only GET, POST and DELETE are served here.")
        if _carries_token(scope["query_string"]):
            raise Refusal(400, "A token in the address is refused; send it as a Bearer header.")
        if scope["method"] == "POST" and _media_type(headers) != "application/json":
            raise Refusal(415, "The content type must be application/json.")
        return place.groupdict()


def _headers(scope: Scope) -> dict[str, str]:
    names = [name for name, _ in scope["headers"] if name in _SAID_ONCE]
    if len(names) > len(set(names)):
        raise Refusal(400, "Host, Origin, Authorization and Toolbooth-Project may be said once.")
    return {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}


def _media_type(headers: dict[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _bearer(headers: dict[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or "-" if scheme.lower() == "bearer" else None


def _carries_token(query: bytes) -> bool:
    if not query:
        return False
    return any(key.lower() in _TOKEN_PARAMETERS for key, _ in parse_qsl(query.decode("latin-1")))


async def _body_in_time(receive: Receive, headers: dict[str, str]) -> bytes:
    try:
        async with asyncio.timeout(BODY_DEADLINE_S):
            return await _read_body(receive, headers)
    except TimeoutError:
        raise Refusal(408, "The request took too long to arrive.") from None


async def _read_body(receive: Receive, headers: dict[str, str]) -> bytes:
    if int(headers.get("content-length") or 0) > MAX_BODY_BYTES:
        raise Refusal(413, "The request is too large.")
    chunks: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > MAX_BODY_BYTES:
            raise Refusal(413, "The request is too large.")
        more = message.get("more_body", False)
    return b"".join(chunks)


def _meta(body: bytes) -> JsonObject:
    """`params._meta` of the body. What is not JSON at all is left to the protocol to refuse."""
    try:
        message = _STRICT.decode(body.decode(json.detect_encoding(body), "surrogatepass"))
    except UnfitBody as error:
        raise Refusal(400, str(error)) from None
    except (ValueError, RecursionError):
        return {}
    return as_object(as_object(as_object(message).get("params")).get("_meta"))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        [(key, _), *_] = Counter(key for key, _ in pairs).most_common(1)
        raise UnfitBody(f"The key {json.dumps(key)} appears twice in one object.")
    return result


def _finite(literal: str) -> float:
    if not math.isfinite(number := float(literal)):
        raise UnfitBody(f"{literal[:20]} is not a number that JSON can carry.")
    return number


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body we have read, then whatever comes after it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed


@lru_cache(maxsize=256)
def _principal(client_id: str) -> AuthenticatedUser:
    """Whom the SDK binds a session to: one token can't use another's session."""
    return AuthenticatedUser(AccessToken(token=client_id, client_id=client_id, scopes=[]))


async def _refuse(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    headers = _EXPLAINED.get(refusal.status, {})
    body = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": refusal.message},
    }
    await JSONResponse(body, refusal.status, headers)(scope, receive, send)


def caller_of(scope: Scope) -> Caller:
    return cast(Caller, scope[CALLER])


def recall_of(scope: Scope) -> Callable[[], Caller]:
    return cast(Callable[[], Caller], scope[RECALL])
