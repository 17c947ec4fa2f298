"""Our OAuth client at an authorization server: registered by the user, or dynamically (RFC
7591)."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from router import __version__
from router.config.server import OAuthConfig
from router.domain.errors import sentence
from router.domain.json_values import JsonObject
from router.upstream.oauth.errors import SignInFailed, error_code
from router.upstream.oauth.guarded_http_client import GuardedHttpClient
from router.upstream.oauth.metadata import AuthorizationServer

_METHODS = ("none", "client_secret_post", "client_secret_basic")
"""Those we support, best first: with PKCE a native application needs no secret and can't keep one.
`client_secret_post` before `basic`, because servers made with the SDK can't revoke with a
header."""
_BY_HAND = (
    'Register Toolbooth there and set its "clientId" under "oauth" in the server\'s settings.'
)


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """Stored as JSON by `credential_store`, under these names in camel case."""

    client_id: str
    client_secret: str = field(default="", repr=False)
    auth_method: str = "none"
    callback_port: int = 0
    """The port of its registered redirect URI; 0 for any."""

    def authenticate(self, form: dict[str, str]) -> dict[str, str]:
        """Add the client authentication to `form`; returns the headers for it."""
        form["client_id"] = self.client_id
        if self.auth_method == "client_secret_basic":
            pair = f"{quote(self.client_id, safe='')}:{quote(self.client_secret, safe='')}"
            return {"authorization": f"Basic {base64.b64encode(pair.encode()).decode('ascii')}"}
        if self.auth_method == "client_secret_post":
            form["client_secret"] = self.client_secret
        return {}


def preregistered_client(options: OAuthConfig, methods: tuple[str, ...] = ()) -> OAuthClient:
    """The client that the user registered; `methods` are those the server supports."""
    method = "none"
    if options.client_secret:
        by_post = "client_secret_basic" not in methods and "client_secret_post" in methods
        method = "client_secret_post" if by_post else "client_secret_basic"
    return OAuthClient(options.client_id, options.client_secret, method, options.callback_port)


async def register_client(
    http: GuardedHttpClient, server: AuthorizationServer, redirect_uri: str
) -> OAuthClient:
    """Register a client dynamically (RFC 7591). Raises `SignInFailed`."""
    host = urlsplit(server.issuer).netloc
    if not server.registration_endpoint:
        raise SignInFailed(
            sentence("{host} only accepts registered programs.", host=host), _BY_HAND
        )
    method = next((m for m in _METHODS if m in server.auth_methods), _METHODS[0])
    request: JsonObject = {
        "client_name": "Toolbooth",
        "software_version": __version__,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
        "application_type": "native",
    }
    if server.scope:
        request["scope"] = server.scope
    answer = await http.post_json(server.registration_endpoint, request)
    if not answer.ok:
        reason = f"HTTP {answer.status}, {error_code(answer.content.get('error'))}"
        raise SignInFailed(
            sentence("{host} refused to register Toolbooth ({reason}).", host=host, reason=reason),
            _BY_HAND,
        )
    return _registered(answer.content, host, method, urlsplit(redirect_uri).port or 0)


def _registered(answer: JsonObject, host: str, method: str, port: int) -> OAuthClient:
    """The registered client: the server may change what was requested."""
    name, secret = answer.get("client_id"), answer.get("client_secret") or ""
    method = str(answer.get("token_endpoint_auth_method") or method)
    usable = method in _METHODS and (bool(secret) or method == "none")
    if not isinstance(name, str) or not name or not isinstance(secret, str) or not usable:
        raise SignInFailed(
            sentence("{host} returned an invalid registration.", host=host), _BY_HAND
        )
    return OAuthClient(name, secret, method, port)
