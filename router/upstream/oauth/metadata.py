"""Where a server's people sign in: RFC 9728 leads from the server to its authorization server, and
RFC 8414 or OpenID Connect say what that one can do.

Everything here was written by the server's side. What must agree with what is checked; what a
request or a browser will be sent to is an address that `checked_url` accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urljoin, urlsplit, urlunsplit

from router.domain.errors import said
from router.domain.json_values import JsonObject, as_array
from router.upstream.oauth.address_policy import checked_url
from router.upstream.oauth.errors import SignInFailed
from router.upstream.oauth.guarded_fetch import Fetch

_RESOURCE = "/.well-known/oauth-protected-resource"
_OAUTH = "/.well-known/oauth-authorization-server"
_OPENID = "/.well-known/openid-configuration"
_PKCE_METHOD = "S256"
_OFFLINE = "offline_access"
_NO_SIGN_IN = "Add a token or header to its settings instead, or tell its author."


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a `WWW-Authenticate` header says about signing in."""

    resource_metadata: str = ""
    scope: str = ""

    @classmethod
    def parse(cls, header: str) -> Challenge:
        return cls(_parameter(header, "resource_metadata"), _parameter(header, "scope"))


@dataclass(frozen=True, slots=True)
class Authority:
    """An authorization server, and what it is asked for on behalf of one server."""

    issuer: str
    resource: str
    authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str = ""
    revocation_endpoint: str = ""
    auth_methods: tuple[str, ...] = ("client_secret_basic",)
    sends_issuer: bool = False
    scope: str = ""


async def discover(
    fetch: Fetch, server_url: str, challenge: Challenge, scopes: Iterable[str] = ()
) -> Authority:
    """The authority over the server at `server_url`; `scopes` are those a person chose.

    Raises `SignInFailed`.
    """
    resource = await _resource_metadata(fetch, server_url, challenge)
    if resource is None:
        issuer, metadata = _origin(server_url), await _server_metadata(fetch, _origin(server_url))
        metadata = metadata or _endpoints_by_habit(issuer)
    else:
        issuer = _first_issuer(resource)
        metadata = await _server_metadata(fetch, issuer)
    if metadata is None:
        raise SignInFailed(
            said("{host} does not say how to sign in.", host=urlsplit(issuer).netloc), _NO_SIGN_IN
        )
    named = str((resource or {}).get("resource") or _canonical(server_url))
    scope = _scope(" ".join(scopes) or challenge.scope, resource or {}, metadata)
    return _authority(metadata, issuer, named, scope)


def _same_issuer(one: str, other: str) -> bool:
    """A trailing slash is all that may differ."""
    return one.removesuffix("/") == other.removesuffix("/")


async def _resource_metadata(
    fetch: Fetch, server_url: str, challenge: Challenge
) -> JsonObject | None:
    path = urlsplit(server_url).path.rstrip("/")
    well_known = [_RESOURCE + path, _RESOURCE] if path else [_RESOURCE]
    urls = [urljoin(server_url, place) for place in well_known]
    if challenge.resource_metadata:
        urls.insert(0, challenge.resource_metadata)
    metadata = await _first_found(fetch, urls)
    if metadata is not None and not _covers(str(metadata.get("resource") or ""), server_url):
        raise SignInFailed("The server's sign-in is meant for another address.", _NO_SIGN_IN)
    return metadata


async def _server_metadata(fetch: Fetch, issuer: str) -> JsonObject | None:
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    places = [_OAUTH + path, _OPENID + path, *([path + _OPENID] if path else [])]
    metadata = await _first_found(fetch, [urljoin(issuer, place) for place in places])
    if metadata is not None and not _same_issuer(str(metadata.get("issuer") or ""), issuer):
        raise SignInFailed(
            said("{host} claims to be another authorization server.", host=parts.netloc)
        )
    return metadata


async def _first_found(fetch: Fetch, urls: Iterable[str]) -> JsonObject | None:
    for url in urls:
        answer = await fetch.get(url)
        if answer.status == HTTPStatus.OK and answer.content:
            return answer.content
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            # Says nothing about what it would have answered, so nothing is concluded from it.
            raise SignInFailed(
                said(
                    "{host} answered HTTP {status}.",
                    host=urlsplit(url).netloc,
                    status=answer.status,
                )
            )
    return None


def _first_issuer(resource: JsonObject) -> str:
    issuers = as_array(resource.get("authorization_servers"))
    if not issuers or not isinstance(issuers[0], str):
        raise SignInFailed("The server does not say where to sign in.", _NO_SIGN_IN)
    return issuers[0]


def _authority(metadata: JsonObject, issuer: str, resource: str, scope: str) -> Authority:
    if _PKCE_METHOD not in as_array(metadata.get("code_challenge_methods_supported")):
        netloc = urlsplit(issuer).netloc
        raise SignInFailed(
            said("{host} can't protect a sign-in (PKCE with S256).", host=netloc), _NO_SIGN_IN
        )
    methods = as_array(metadata.get("token_endpoint_auth_methods_supported"))
    return Authority(
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


def _endpoints_by_habit(origin: str) -> JsonObject:
    """Where servers of the 2025-03-26 revision have their endpoints if they say nothing."""
    return {
        "issuer": origin,
        "authorization_endpoint": f"{origin}/authorize",
        "token_endpoint": f"{origin}/token",
        "registration_endpoint": f"{origin}/register",
        "code_challenge_methods_supported": [_PKCE_METHOD],
        "token_endpoint_auth_methods_supported": ["none"],
    }


def _scope(chosen: str, resource: JsonObject, metadata: JsonObject) -> str:
    """What was chosen or asked for, else all the server has; with leave to renew, if there is."""
    listed = as_array(resource.get("scopes_supported"))
    scopes = chosen.split() or [scope for scope in listed if isinstance(scope, str)]
    if scopes and _OFFLINE in as_array(metadata.get("scopes_supported")):
        scopes.append(_OFFLINE)
    return " ".join(dict.fromkeys(scopes))


def _covers(resource: str, server_url: str) -> bool:
    """Whether `resource` is the server's address or one above it (RFC 9728, 3.3)."""
    if not resource or _origin(resource) != _origin(server_url):
        return False
    above = urlsplit(resource).path.rstrip("/")
    return f"{urlsplit(server_url).path.rstrip('/')}/".startswith(f"{above}/")


def _canonical(server_url: str) -> str:
    """The server's address as a resource indicator (RFC 8707): without a fragment."""
    parts = urlsplit(server_url)
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path, parts.query, ""))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"


def _parameter(header: str, name: str) -> str:
    found = re.search(rf'(?:^|[\s,]){name}\s*=\s*(?:"([^"]*)"|([^\s,]+))', header, re.IGNORECASE)
    return (found.group(1) or found.group(2) or "") if found else ""
