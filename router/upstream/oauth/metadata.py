"""Discovery of a server's authorization server: RFC 9728 names it, and RFC 8414 or OpenID Connect
describe it.

All metadata is untrusted. Values that must agree are compared, and every address that a request or
a browser will be sent to has passed `checked_url`. The addresses of metadata and the comparison of
resources are the SDK's, imported when first needed. Its models are not used: one malformed optional
field would refuse a whole document, and they rewrite URLs, which must be compared as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from router.domain.errors import sentence
from router.domain.json_values import JsonObject, as_array
from router.upstream.oauth.address_policy import checked_url
from router.upstream.oauth.errors import SignInFailed
from router.upstream.oauth.guarded_http_client import GuardedHttpClient

_PKCE_METHOD = "S256"
_OFFLINE = "offline_access"
_NO_SIGN_IN = "Add a token or header in its settings instead, or report this to its author."


@dataclass(frozen=True, slots=True)
class Challenge:
    """The OAuth parameters of a `WWW-Authenticate` header."""

    resource_metadata: str = ""
    scope: str = ""

    @classmethod
    def parse(cls, header: str) -> Challenge:
        return cls(_parameter(header, "resource_metadata"), _parameter(header, "scope"))


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """An authorization server, with the resource and scope requested for one server."""

    issuer: str
    resource: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str = ""
    revocation_endpoint: str = ""
    auth_methods: tuple[str, ...] = ("client_secret_basic",)
    sends_issuer: bool = False
    scope: str = ""


async def find_authorization_server(
    http: GuardedHttpClient, server_url: str, challenge: Challenge, scopes: Iterable[str] = ()
) -> AuthorizationServer:
    """The authority over the server at `server_url`; `scopes` are those the user chose.

    Raises `SignInFailed`.
    """
    from mcp.shared.auth_utils import resource_url_from_server_url

    resource = await _resource_metadata(http, server_url, challenge)
    issuer = _first_issuer(resource) if resource else _origin(server_url)
    metadata = await _server_metadata(http, issuer)
    if metadata is None and not resource:
        metadata = _default_endpoints(issuer)
    if metadata is None:
        raise SignInFailed(
            sentence("{host} does not say how to sign in.", host=urlsplit(issuer).netloc),
            _NO_SIGN_IN,
        )
    named = str(resource.get("resource") or resource_url_from_server_url(server_url))
    scope = _scope(" ".join(scopes) or challenge.scope, resource, metadata)
    return _authorization_server(metadata, issuer, named, scope)


async def _resource_metadata(
    http: GuardedHttpClient, server_url: str, challenge: Challenge
) -> JsonObject:
    """The metadata of the protected resource; empty if there is none."""
    from mcp.client.auth.utils import build_protected_resource_metadata_discovery_urls
    from mcp.shared.auth_utils import check_resource_allowed

    without_slash = urlsplit(server_url)._replace(path=urlsplit(server_url).path.rstrip("/"))
    urls = build_protected_resource_metadata_discovery_urls(
        challenge.resource_metadata, without_slash.geturl()
    )
    metadata = await _first_found(http, urls) or {}
    named = str(metadata.get("resource") or "")
    try:
        allowed = not metadata or check_resource_allowed(server_url, named)
    except ValueError:  # It is no URL.
        allowed = False
    if not allowed:
        raise SignInFailed("The server's sign-in is for a different address.", _NO_SIGN_IN)
    return metadata


async def _server_metadata(http: GuardedHttpClient, issuer: str) -> JsonObject | None:
    from mcp.client.auth.utils import build_oauth_authorization_server_metadata_discovery_urls

    urls = build_oauth_authorization_server_metadata_discovery_urls(issuer, issuer)
    metadata = await _first_found(http, urls)
    if metadata is None:
        return None
    named = str(metadata.get("issuer") or "")
    if named.removesuffix("/") != issuer.removesuffix("/"):
        host = urlsplit(issuer).netloc
        raise SignInFailed(sentence("{host} claims to be another authorization server.", host=host))
    return metadata


async def _first_found(http: GuardedHttpClient, urls: Iterable[str]) -> JsonObject | None:
    for url in urls:
        response = await http.get(url)
        if response.status == HTTPStatus.OK and response.content:
            return response.content
        if response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            # Nothing follows from it: the document may exist.
            host, status = urlsplit(url).netloc, response.status
            raise SignInFailed(sentence("{host} returned HTTP {status}.", host=host, status=status))
    return None


def _first_issuer(resource: JsonObject) -> str:
    issuers = as_array(resource.get("authorization_servers"))
    if not issuers or not isinstance(issuers[0], str):
        raise SignInFailed("The server does not say where to sign in.", _NO_SIGN_IN)
    checked_url(issuers[0])
    return issuers[0]


def _authorization_server(
    metadata: JsonObject, issuer: str, resource: str, scope: str
) -> AuthorizationServer:
    if _PKCE_METHOD not in as_array(metadata.get("code_challenge_methods_supported")):
        host = urlsplit(issuer).netloc
        raise SignInFailed(
            sentence("{host} does not support PKCE with S256.", host=host), _NO_SIGN_IN
        )
    methods = as_array(metadata.get("token_endpoint_auth_methods_supported"))
    return AuthorizationServer(
        issuer=str(metadata["issuer"]),
        resource=resource,
        authorization_endpoint=_endpoint(metadata, "authorization_endpoint"),
        token_endpoint=_endpoint(metadata, "token_endpoint"),
        registration_endpoint=_optional_endpoint(metadata, "registration_endpoint"),
        revocation_endpoint=_optional_endpoint(metadata, "revocation_endpoint"),
        auth_methods=tuple(m for m in methods if isinstance(m, str)) or ("client_secret_basic",),
        sends_issuer=metadata.get("authorization_response_iss_parameter_supported") is True,
        scope=scope,
    )


def _endpoint(metadata: JsonObject, name: str) -> str:
    return str(checked_url(str(metadata.get(name) or "")))


def _optional_endpoint(metadata: JsonObject, name: str) -> str:
    return _endpoint(metadata, name) if metadata.get(name) else ""


def _default_endpoints(origin: str) -> JsonObject:
    """The endpoints of revision 2025-03-26 for servers without metadata."""
    return {
        "issuer": origin,
        "authorization_endpoint": f"{origin}/authorize",
        "token_endpoint": f"{origin}/token",
        "registration_endpoint": f"{origin}/register",
        "code_challenge_methods_supported": [_PKCE_METHOD],
        "token_endpoint_auth_methods_supported": ["none"],
    }


def _scope(chosen: str, resource: JsonObject, metadata: JsonObject) -> str:
    """The chosen or requested scopes, else all the server lists; with offline access if offered."""
    listed = as_array(resource.get("scopes_supported"))
    scopes = chosen.split() or [scope for scope in listed if isinstance(scope, str)]
    if scopes and _OFFLINE in as_array(metadata.get("scopes_supported")):
        scopes.append(_OFFLINE)
    return " ".join(dict.fromkeys(scopes))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"


def _parameter(header: str, name: str) -> str:
    found = re.search(rf'(?:^|[\s,]){name}\s*=\s*(?:"([^"]*)"|([^\s,]+))', header, re.IGNORECASE)
    return (found.group(1) or found.group(2) or "") if found else ""
