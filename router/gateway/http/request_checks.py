"""The checks in front of the MCP endpoint: a bad request is refused here, before any of its content
is acted on.

Order: repeated headers, Host, OAuth metadata, Origin, path, method, query, content type, token,
body, `_meta`, scope. A wrong bearer token is refused before the body is read. A request without one
may carry its token in `_meta.token`, which in a large body is searched for in the raw text:
decoding that takes long, and is not done for an unauthenticated client.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import cast
from urllib.parse import parse_qsl

from router.domain.clients import Principal
from router.domain.json_values import JsonObject, as_array, as_object
from router.gateway.http.active_requests import ActiveRequests
from router.gateway.http.authentication import Authenticator, RequestedScope
from router.gateway.http.failed_token_limiter import FailedTokenLimiter
from router.gateway.http.http_request import (
    HTTPError,
    HTTPRequest,
    Message,
    Receive,
    Scope,
    Send,
    SessionLimitReached,
)
from router.gateway.http.response_stream import respond
from router.runtime.garbage_collection import no_collection
from router.wire.jsonrpc import AmbiguousJSON, decode

MAX_BODY_BYTES = 4 * 1024 * 1024
BODY_DEADLINE_S = 10
_PATH = re.compile(r"/mcp(?:/w/(?P<workspace>[^/]+)(?:/p/(?P<project>[^/]+))?)?/?")
_AUTH_META_KEYS = frozenset({"token", "projectId"})
"""The keys of `_meta` that decide the principal."""
_OAUTH_PATHS = frozenset({"/authorize", "/register", "/token"})
"""Where clients look for an authorization server that has no metadata."""
_METHODS = ("GET", "POST", "DELETE")
_TOKEN_PARAMETERS = frozenset({"token", "access_token", "api_key", "key"})
_TOKEN_IN_BODY = re.compile(rb'"token"\s*:\s*"([^"\\]{1,200})"')
_MAX_TOKENS = 1000
"""How many are tried: a call's arguments may have any number of members by this name."""
_SINGLE_HEADERS = frozenset({b"host", b"origin", b"authorization", b"toolbooth-project"})
_SMALL_BODY_BYTES = 64 * 1024
"""A larger body is decoded on a thread: it may take a second."""
_thread = ThreadPoolExecutor(1, thread_name_prefix="decode")

_ERROR_HEADERS = {
    401: {"WWW-Authenticate": "Bearer"},
    405: {"Allow": ", ".join(_METHODS)},
    429: {"Retry-After": "10", "Connection": "close"},
}


@dataclass(eq=False, slots=True)
class RequestChecks:
    """The ASGI application: passes requests that meet all checks to `serve`."""

    serve: Callable[[HTTPRequest], Awaitable[None]]
    authenticator: Authenticator
    hosts: frozenset[str]
    """The Host headers that are accepted."""
    on_refused: Callable[[HTTPError], None]
    on_authenticated: Callable[[Principal], None]
    active_requests: ActiveRequests
    _failed_tokens: FailedTokenLimiter = field(default_factory=FailedTokenLimiter, init=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response_started = False

        async def tracked_send(message: Message) -> None:
            nonlocal response_started
            response_started = True
            await send(message)

        try:
            request = await self._check(scope, receive, tracked_send)
        except HTTPError as error:
            await _refuse(self._reported(error), send)
            return
        try:
            with self.active_requests.track(request.principal.token):
                await self.serve(request)
        except HTTPError as error:
            if isinstance(error, SessionLimitReached):
                self.on_refused(error)
            if not response_started:  # else the response just breaks off
                await _refuse(error, send)

    def _reported(self, error: HTTPError) -> HTTPError:
        """The error that is sent, after it was reported. Of many wrong tokens only the first are
        reported one by one."""
        if error.wrong_token and self._failed_tokens.exceeded():
            error = HTTPError(429, "Too many wrong tokens. Try again later.", error.client)
            if not self._failed_tokens.should_report():
                return error
        self.on_refused(error)
        return error

    async def _check(self, scope: Scope, receive: Receive, send: Send) -> HTTPRequest:
        """The request with its principal. Raises `HTTPError`."""
        headers = _headers(scope)
        path = self._check_head(scope, headers)
        bearer = _bearer(headers)
        if bearer is None and _is_probe(scope["method"], headers):
            raise HTTPError(406, "A GET must accept text/event-stream.")
        token = self.authenticator.authenticate(bearer) if bearer else None
        body = await self._body(scope, receive, headers, authenticated=bearer is not None)
        meta = _meta(body)
        meta_token = meta["token"]
        if bearer is None:
            token = self.authenticator.authenticate(meta_token)
        elif meta_token is not None and meta_token != bearer:
            client = token.name if token else "unknown"
            raise HTTPError(403, "The header and _meta.token are not the same token.", client)
        requested = RequestedScope(
            path_workspace=path["workspace"],
            path_project=path["project"],
            header_project=headers.get("toolbooth-project"),
            meta_project=meta["projectId"],
        )
        current_principal = partial(self.authenticator.principal, token, requested)
        principal = current_principal()
        self.on_authenticated(principal)
        return HTTPRequest(
            scope["method"],
            headers,
            scope["headers"],
            body,
            principal,
            current_principal,
            receive,
            send,
        )

    async def _body(
        self, scope: Scope, receive: Receive, headers: dict[str, str], *, authenticated: bool
    ) -> object:
        if scope["method"] != "POST":
            return None
        try:
            async with asyncio.timeout(BODY_DEADLINE_S):
                text = await _read_body(receive, headers)
        except TimeoutError:
            raise HTTPError(408, "The request took too long to arrive.") from None
        if not authenticated and len(text) > _SMALL_BODY_BYTES:
            self._check_token_in(text)
        try:
            return await _decode(text)
        except HTTPError:
            if not authenticated:
                self._check_token_in(text)
            raise

    def _check_token_in(self, text: bytes) -> None:
        """Raises `HTTPError` if a token is needed and `text` has no valid one anywhere."""
        if self.authenticator.is_open():
            return
        found = (match[1].decode("latin-1") for match in _TOKEN_IN_BODY.finditer(text))
        candidates = list(islice(found, _MAX_TOKENS))
        if not any(map(self.authenticator.verify, candidates)):
            self.authenticator.authenticate(candidates[0] if candidates else None)

    def _check_head(self, scope: Scope, headers: dict[str, str]) -> dict[str, str | None]:
        if headers.get("host") not in self.hosts:
            raise HTTPError(421, "This Host is not served here.")
        if "/.well-known/" in scope["path"] or scope["path"] in _OAUTH_PATHS:
            raise HTTPError(404, "There is no OAuth sign-in here; send a token as a Bearer header.")
        origin = headers.get("origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.hosts}:
            raise HTTPError(403, "This Origin may not connect.")
        path = _PATH.fullmatch(scope["path"])
        if path is None:
            raise HTTPError(404, "The MCP endpoint is /mcp.")
        if scope["method"] not in _METHODS:
            raise HTTPError(405, "Only GET, POST and DELETE are served here.")
        if _carries_token(scope["query_string"]):
            raise HTTPError(400, "A token in the address is refused; send it as a Bearer header.")
        if scope["method"] == "POST" and _media_type(headers) != "application/json":
            raise HTTPError(415, "The content type must be application/json.")
        return path.groupdict()


def _headers(scope: Scope) -> dict[str, str]:
    names = [name for name, _ in scope["headers"] if name in _SINGLE_HEADERS]
    if len(names) > len(set(names)):
        raise HTTPError(
            400, "Host, Origin, Authorization and Toolbooth-Project may appear only once."
        )
    # The parser leaves the white space after a value.
    return {
        key.decode("latin-1"): value.rstrip(b" \t").decode("latin-1")
        for key, value in scope["headers"]
    }


def _media_type(headers: dict[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _bearer(headers: dict[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or "-" if scheme.lower() == "bearer" else None


def _is_probe(method: str, headers: dict[str, str]) -> bool:
    """Whether a client only wants to see how it is refused: it asks for no stream, which is all
    that a GET can get. It looks for OAuth metadata."""
    accept = headers.get("accept", "*/*")
    return method == "GET" and "*/*" not in accept and "text/" not in accept


def _carries_token(query: bytes) -> bool:
    if not query:
        return False
    return any(key.lower() in _TOKEN_PARAMETERS for key, _ in parse_qsl(query.decode("latin-1")))


async def _read_body(receive: Receive, headers: dict[str, str]) -> bytes:
    if int(headers.get("content-length") or 0) > MAX_BODY_BYTES:
        raise HTTPError(413, "The request is too large.")
    chunks: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HTTPError(400, "The request ended before it was complete.")
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > MAX_BODY_BYTES:
            raise HTTPError(413, "The request is too large.")
        more = message.get("more_body", False)
    return b"".join(chunks)


async def _decode(body: bytes) -> object:
    """The body's value; one that is not JSON is refused by streamable HTTP."""
    try:
        if len(body) <= _SMALL_BODY_BYTES:
            return decode(body)
        return await asyncio.get_running_loop().run_in_executor(_thread, _decode_large, body)
    except AmbiguousJSON as error:
        raise HTTPError(400, str(error)) from None


def _decode_large(body: bytes) -> object:
    with no_collection():
        return decode(body)


def _meta(body: object) -> dict[str, str | None]:
    """What `_meta` says about the principal. Raises `HTTPError` if any of it is malformed: a scope
    that can't be read must not widen what the request may do."""
    if any(_meta_of(each).keys() & _AUTH_META_KEYS for each in as_array(body)):
        raise HTTPError(400, "In a batch, token and project are sent in headers, not in _meta.")
    meta = _meta_of(body)
    for key in _AUTH_META_KEYS:
        if not isinstance(meta.get(key), str | None):
            raise HTTPError(400, f"_meta.{key} must be a string.")
    return {key: meta.get(key) for key in _AUTH_META_KEYS}


def _meta_of(message: object) -> JsonObject:
    meta = as_object(as_object(message).get("params")).get("_meta", {})
    if not isinstance(meta, dict):
        raise HTTPError(400, "_meta must be an object.")
    return cast(JsonObject, meta)


async def _refuse(error: HTTPError, send: Send) -> None:
    await respond(send, error.status, deque([error.body]), _ERROR_HEADERS.get(error.status))
