"""The gate in front of the MCP endpoint: what is wrong with a request is said here, before any of
its content is acted on.

Order: repeated headers, Host, Origin, path, method, address, content type, token, body, boundary.
A wrong token is refused before the body is taken; one without may carry it in `_meta.token`, which
is looked for in the bare text: reading a large body takes long, and no stranger is given that time.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from urllib.parse import parse_qsl

from router.domain.clients import Principal
from router.domain.json_values import JsonObject, as_array, as_object
from router.gateway.http.active_requests import Admissions
from router.gateway.http.authentication import CallerRules, Claims, Refusal
from router.gateway.http.failed_token_limiter import Guesses
from router.gateway.http.http_request import Arrival, Message, Receive, Scope, Send
from router.gateway.http.jsonrpc import UnfitBody, error_message, read
from router.gateway.http.response_stream import respond
from router.runtime.gc import no_collection

MAX_BODY_BYTES = 4 * 1024 * 1024
BODY_DEADLINE_S = 10
_PATH = re.compile(r"/mcp(?:/w/(?P<workspace>[^/]+)(?:/p/(?P<project>[^/]+))?)?/?")
_DECIDING = frozenset({"token", "projectId"})
"""What in `_meta` says who is calling."""
_METHODS = ("GET", "POST", "DELETE")
_TOKEN_PARAMETERS = frozenset({"token", "access_token", "api_key", "key"})
_TOKEN_IN_BODY = re.compile(rb'"token"\s*:\s*"([^"\\]{1,200})"')
_MOST_TOKENS = 1000
"""What is called so in the arguments of a call may be anything."""
_SAID_ONCE = frozenset({b"host", b"origin", b"authorization", b"toolbooth-project"})
_LIGHT_BYTES = 64 * 1024
"""A larger body is read on a thread: it may take a second."""
_thread = ThreadPoolExecutor(1, thread_name_prefix="read")
_HTTP = "http://"
_INVALID_REQUEST = -32600

_EXPLAINED = {
    401: {"WWW-Authenticate": "Bearer"},
    405: {"Allow": ", ".join(_METHODS)},
    429: {"Retry-After": "10", "Connection": "close"},
}
"""Headers that go with a refusal."""


class _WayBack:
    """How the client is answered, and whether that has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.taken = False

    async def __call__(self, message: Message) -> None:
        self.taken = True
        await self._send(message)


class Guard:
    def __init__(
        self,
        serve: Callable[[Arrival], Awaitable[None]],
        rules: CallerRules,
        hosts: Callable[[], frozenset[str]],
        on_refusal: Callable[[Refusal], None],
        on_caller: Callable[[Principal], None],
        admissions: Admissions,
    ) -> None:
        self._serve = serve
        self._rules = rules
        self._hosts = hosts
        self._on_refusal = on_refusal
        self._on_caller = on_caller
        self._admissions = admissions
        self._guesses = Guesses(time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            arrival = await self._admit(scope, receive, back := _WayBack(send))
        except Refusal as refusal:
            await _refuse(self._noted(refusal), send)
        else:
            await self._hand_on(arrival, back)

    def _noted(self, refusal: Refusal) -> Refusal:
        """What is answered to a refused request, once it is noted. Of many wrong tokens only the
        first are noted one by one."""
        if refusal.guessed and self._guesses.too_many():
            refusal = Refusal(429, "Too many wrong tokens. Try again later.", refusal.client)
            if not self._guesses.is_news():
                return refusal
        self._on_refusal(refusal)
        return refusal

    async def _hand_on(self, arrival: Arrival, back: _WayBack) -> None:
        """Have the request served while its token holds; after that its answer just breaks off."""
        try:
            await self._admissions.run(arrival.caller.token, self._serve(arrival))
        except Refusal as refusal:
            if not back.taken:
                await _refuse(refusal, back)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> Arrival:
        """The request with its caller, or raise the `Refusal` it gets."""
        headers = _headers(scope)
        place = self._check_address(scope, headers)
        bearer = _bearer(headers)
        token = self._rules.authenticate(bearer) if bearer else None
        body = await self._body(scope, receive, headers, is_stranger=bearer is None)
        meta = _meta(body)
        said = _text(meta.get("token"))
        if bearer is None:
            token = self._rules.authenticate(said)
        elif said is not None and said != bearer:
            client = token.name if token else "unknown"
            raise Refusal(403, "The header and _meta.token are not the same token.", client)
        claims = Claims(
            path_workspace=place["workspace"],
            path_project=place["project"],
            header_project=headers.get("toolbooth-project"),
            meta_project=_text(meta.get("projectId")),
        )
        caller = self._rules.caller(token, claims)
        self._on_caller(caller)
        recall = partial(self._rules.caller, token, claims)
        return Arrival(
            scope["method"], headers, scope["headers"], body, caller, recall, receive, send
        )

    async def _body(
        self, scope: Scope, receive: Receive, headers: dict[str, str], *, is_stranger: bool
    ) -> object:
        if scope["method"] != "POST":
            return None
        text = await _body_in_time(receive, headers)
        if is_stranger:
            self._check_token_in(text)
        return await _read(text)

    def _check_token_in(self, text: bytes) -> None:
        """Raises `Refusal` if a token is needed and none that holds is anywhere in `text`."""
        if self._rules.is_open():
            return
        found = (match[1].decode("latin-1") for match in _TOKEN_IN_BODY.finditer(text))
        said = list(islice(found, _MOST_TOKENS))
        if not any(map(self._rules.verify, said)):
            self._rules.authenticate(said[0] if said else None)

    def _check_address(self, scope: Scope, headers: dict[str, str]) -> dict[str, str | None]:
        hosts = self._hosts()
        if headers.get("host") not in hosts:
            raise Refusal(421, "This Host is not served here.")
        origin = headers.get("origin")
        if origin is not None and not (origin.startswith(_HTTP) and origin[len(_HTTP) :] in hosts):
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
        raise Refusal(
            400, "Host, Origin, Authorization and Toolbooth-Project may appear only once."
        )
    # The parser leaves the white space after a value, which is no part of it.
    return {
        key.decode("latin-1"): value.rstrip(b" \t").decode("latin-1")
        for key, value in scope["headers"]
    }


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
        if message["type"] == "http.disconnect":
            raise Refusal(400, "The request ended before it was complete.")
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > MAX_BODY_BYTES:
            raise Refusal(413, "The request is too large.")
        more = message.get("more_body", False)
    return b"".join(chunks)


async def _read(body: bytes) -> object:
    """The body's value. What is not JSON at all is left to the protocol to refuse."""
    try:
        if len(body) <= _LIGHT_BYTES:
            return read(body)
        return await asyncio.get_running_loop().run_in_executor(_thread, _read_large, body)
    except UnfitBody as error:
        raise Refusal(400, str(error)) from None


def _read_large(body: bytes) -> object:
    with no_collection():
        return read(body)


def _meta(body: object) -> JsonObject:
    if any(_meta_of(each).keys() & _DECIDING for each in as_array(body)):
        raise Refusal(400, "In a batch, token and project are sent in headers, not in _meta.")
    return _meta_of(body)


def _meta_of(message: object) -> JsonObject:
    return as_object(as_object(as_object(message).get("params")).get("_meta"))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


async def _refuse(refusal: Refusal, send: Send) -> None:
    body = error_message(None, _INVALID_REQUEST, refusal.message)
    await respond(send, refusal.status, body, _EXPLAINED.get(refusal.status))
