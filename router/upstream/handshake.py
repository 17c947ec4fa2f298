"""Negotiates the protocol revision with a server.

Almost every server is legacy, so `initialize` is tried first. A server that refuses it is sent
`server/discover`, which opens the modern revision; one that is known to be modern gets that first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

from router import __version__
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import TIMEOUTS
from router.domain.json_values import JsonObject, as_array, as_object
from router.upstream.errors import HttpRefused, bad_protocol, failed, server_error
from router.upstream.peer import Peer
from router.upstream.ports import CallOptions
from router.wire import mcp

_CLIENT_INFO = {"name": "toolbooth", "version": __version__}
_DISCOVER_TIMEOUT_S = 5.0
"""A legacy server may not even answer a method it doesn't know."""
_OTHER_ERA_CODES = (
    mcp.METHOD_NOT_FOUND,
    mcp.INVALID_REQUEST,
    mcp.INVALID_PARAMS,
    mcp.HEADER_MISMATCH,
    mcp.UNSUPPORTED_VERSION,
)
_OTHER_ERA_STATUSES = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)


@dataclass(frozen=True, slots=True)
class HandshakeResult:
    """What a server said about itself in the handshake."""

    protocol_version: str
    server_info: JsonObject
    capabilities: JsonObject
    instructions: str


def with_envelope(
    params: JsonObject | None, capabilities: JsonObject, log_level: str | None = None
) -> JsonObject:
    """`params` with what the modern revision requires in every request."""
    params = params or {}
    meta: JsonObject = {
        **as_object(params.get("_meta")),
        mcp.VERSION_KEY: mcp.MODERN_VERSION,
        mcp.CLIENT_INFO_KEY: _CLIENT_INFO,
        mcp.CLIENT_CAPABILITIES_KEY: capabilities,
    }
    if log_level is not None:
        meta[mcp.LOG_LEVEL_KEY] = log_level
    return {**params, "_meta": meta}


async def handshake(peer: Peer, capabilities: JsonObject, expected: str = "") -> HandshakeResult:
    """Open a session. `capabilities` are those we declare; `expected` is the revision the server
    had before. Raises `UpstreamFailed`."""
    initialize = partial(_initialize, peer, capabilities)
    discover = partial(_discover, peer, capabilities)
    eras = (initialize, discover)
    if expected == mcp.MODERN_VERSION:
        eras = (partial(discover, timeout_s=_DISCOVER_TIMEOUT_S), initialize)
    try:
        return await _negotiate(*eras)
    except UpstreamAnsweredError as error:
        raise failed(server_error(error)) from error


async def _negotiate(
    first: Callable[[], Awaitable[HandshakeResult]],
    second: Callable[[], Awaitable[HandshakeResult]],
) -> HandshakeResult:
    try:
        return await first()
    except (UpstreamAnsweredError, UpstreamFailed) as refusal:
        if not _means_other_era(refusal):
            raise
        try:
            return await second()
        except (UpstreamAnsweredError, HttpRefused):
            raise refusal from None  # it knows neither: the first error says more


async def _initialize(peer: Peer, capabilities: JsonObject) -> HandshakeResult:
    offer = {
        "protocolVersion": mcp.LATEST_LEGACY_VERSION,
        "capabilities": capabilities,
        "clientInfo": _CLIENT_INFO,
    }
    peer.transport.set_protocol_version("")
    result = await peer.request("initialize", offer)
    version = result.get("protocolVersion")
    if version not in mcp.LEGACY_VERSIONS:
        raise failed(bad_protocol(f"it uses the unsupported protocol version {version!r:.50}"))
    peer.transport.set_protocol_version(version)
    with contextlib.suppress(HttpRefused):  # some servers refuse it, and work all the same
        await peer.notify("notifications/initialized")
    return _session(version, as_object(result.get("serverInfo")), result)


async def _discover(
    peer: Peer, capabilities: JsonObject, timeout_s: float | None = None
) -> HandshakeResult:
    peer.transport.set_protocol_version(mcp.MODERN_VERSION)
    params = with_envelope(None, capabilities)
    discover = partial(peer.request, "server/discover", params, CallOptions(timeout_s))
    try:
        result = await discover()
    except UpstreamAnsweredError as error:
        supported = as_array(as_object(error.data).get("supported"))
        if error.code != mcp.UNSUPPORTED_VERSION or mcp.MODERN_VERSION not in supported:
            raise
        result = await discover()  # it lists our revision, so the error was temporary
    # A server that knows the method knows its revision, even if it does not list it.
    versions = result.get("supportedVersions", [mcp.MODERN_VERSION])
    if not isinstance(versions, list) or mcp.MODERN_VERSION not in versions:
        raise failed(bad_protocol(f"it supports only the protocol versions {versions!r:.100}"))
    meta = as_object(result.get("_meta"))
    return _session(mcp.MODERN_VERSION, as_object(meta.get(mcp.SERVER_INFO_KEY)), result)


def _session(version: str, server_info: JsonObject, result: JsonObject) -> HandshakeResult:
    return HandshakeResult(
        protocol_version=version,
        server_info=server_info,
        capabilities=as_object(result.get("capabilities")),
        instructions=str(result.get("instructions") or ""),
    )


def _means_other_era(refusal: UpstreamAnsweredError | UpstreamFailed) -> bool:
    if isinstance(refusal, UpstreamAnsweredError):
        return refusal.code in _OTHER_ERA_CODES
    if isinstance(refusal, HttpRefused):
        return refusal.status in _OTHER_ERA_STATUSES
    return refusal.failure.kind in TIMEOUTS
