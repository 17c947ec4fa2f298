"""Finding the protocol revision both sides speak.

Almost every server opens with `initialize`, so that is tried first. A server that doesn't know it
is asked to `server/discover`, with which the modern revision opens; one that is remembered to speak
that revision is asked so first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

from router import __version__
from router.domain.errors import UpstreamAnsweredError, UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import JsonObject, as_array, as_object
from router.upstream.errors import HttpRefused, bad_protocol, failed
from router.upstream.peer import Peer
from router.wire.mcp import (
    CLIENT_CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LATEST_LEGACY_VERSION,
    LEGACY_VERSIONS,
    LOG_LEVEL_KEY,
    METHOD_NOT_FOUND,
    MODERN_VERSION,
    SERVER_INFO_KEY,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
)

_CLIENT_INFO = {"name": "toolbooth", "version": __version__}
_PATIENCE_S = 5.0
"""An old server may not even refuse what it doesn't know."""
_NOT_THIS_WAY = (
    METHOD_NOT_FOUND,
    INVALID_REQUEST,
    INVALID_PARAMS,
    HEADER_MISMATCH,
    UNSUPPORTED_VERSION,
)
_NOT_THIS_WAY_BY_STATUS = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
)


@dataclass(frozen=True, slots=True)
class Session:
    """What a server said of itself when the connection opened."""

    protocol_version: str
    server_info: JsonObject
    capabilities: JsonObject
    instructions: str
    modern: bool


def in_envelope(
    params: JsonObject | None, capabilities: JsonObject, log_level: str | None = None
) -> JsonObject:
    """`params` with what the modern revision wants in every request."""
    params = params or {}
    meta: JsonObject = {
        **as_object(params.get("_meta")),
        VERSION_KEY: MODERN_VERSION,
        CLIENT_INFO_KEY: _CLIENT_INFO,
        CLIENT_CAPABILITIES_KEY: capabilities,
    }
    if log_level is not None:
        meta[LOG_LEVEL_KEY] = log_level
    return {**params, "_meta": meta}


async def shake_hands(
    peer: Peer, speak: Callable[[str], None], capabilities: JsonObject, expected: str = ""
) -> Session:
    """Open a session. `speak` tells the link which revision its messages are in from then on;
    `capabilities` are what we say can be asked of us; `expected` is the revision it spoke before.

    Raises `UpstreamFailed`.
    """
    initialize = partial(_initialize, peer, speak, capabilities)
    discover = partial(_discover, peer, speak, capabilities)
    ways = (initialize, discover)
    if expected == MODERN_VERSION:
        ways = (partial(discover, patience_s=_PATIENCE_S), initialize)
    try:
        return await _negotiate(*ways)
    except UpstreamAnsweredError as error:
        reason = f"it would not open a session: {error.message} ({error.code})"
        raise failed(Failure(FailureKind.OTHER, detail=reason)) from error


async def _negotiate(
    first: Callable[[], Awaitable[Session]], second: Callable[[], Awaitable[Session]]
) -> Session:
    try:
        return await first()
    except (UpstreamAnsweredError, UpstreamFailed) as refusal:
        if not _means_not_this_way(refusal):
            raise
        try:
            return await second()
        except (UpstreamAnsweredError, HttpRefused):
            raise refusal from None  # it speaks neither: the first answer says more


async def _initialize(
    peer: Peer, speak: Callable[[str], None], capabilities: JsonObject
) -> Session:
    offer = {
        "protocolVersion": LATEST_LEGACY_VERSION,
        "capabilities": capabilities,
        "clientInfo": _CLIENT_INFO,
    }
    speak("")
    result = await peer.request("initialize", offer)
    version = result.get("protocolVersion")
    if version not in LEGACY_VERSIONS:
        raise failed(bad_protocol(f"it speaks revision {version!r:.50}, which we don't know"))
    speak(version)
    with contextlib.suppress(HttpRefused):  # some servers don't care for it and work all the same
        await peer.notify("notifications/initialized")
    return _session(version, as_object(result.get("serverInfo")), result)


async def _discover(
    peer: Peer,
    speak: Callable[[str], None],
    capabilities: JsonObject,
    patience_s: float | None = None,
) -> Session:
    speak(MODERN_VERSION)
    params = in_envelope(None, capabilities)
    ask = partial(peer.request, "server/discover", params, timeout_s=patience_s)
    try:
        result = await ask()
    except UpstreamAnsweredError as error:
        supported = as_array(as_object(error.data).get("supported"))
        if error.code != UNSUPPORTED_VERSION or MODERN_VERSION not in supported:
            raise
        result = await ask()  # it named what we speak, so it can only have been a slip
    # Whoever knows the question speaks the revision it is from, even without saying so.
    versions = result.get("supportedVersions", [MODERN_VERSION])
    if not isinstance(versions, list) or MODERN_VERSION not in versions:
        raise failed(bad_protocol(f"it speaks revisions {versions!r:.100}, none of which we know"))
    meta = as_object(result.get("_meta"))
    return _session(MODERN_VERSION, as_object(meta.get(SERVER_INFO_KEY)), result)


def _session(version: str, server_info: JsonObject, result: JsonObject) -> Session:
    return Session(
        protocol_version=version,
        server_info=server_info,
        capabilities=as_object(result.get("capabilities")),
        instructions=str(result.get("instructions") or ""),
        modern=version == MODERN_VERSION,
    )


def _means_not_this_way(refusal: UpstreamAnsweredError | UpstreamFailed) -> bool:
    if isinstance(refusal, UpstreamAnsweredError):
        return refusal.code in _NOT_THIS_WAY
    if isinstance(refusal, HttpRefused):
        return refusal.status in _NOT_THIS_WAY_BY_STATUS
    return refusal.failure.kind is FailureKind.TIMEOUT
