"""An authorization server and an MCP server behind it, in one application made of the SDK's parts.

Every token it issues is valid until its clock passes the expiry or it is revoked. `requests`
counts the requests by path; the fields at the top make it misbehave.
"""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes, create_protected_resource_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.servers.http_server import sdk_app, serving

SCOPE = "tools"
_FAR_AWAY = 4_000_000_000


@dataclass(slots=True)
class Provider:
    """`OAuthAuthorizationServerProvider` in memory: every user is accepted."""

    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict[str, Any])
    codes: dict[str, AuthorizationCode] = field(default_factory=dict[str, AuthorizationCode])
    access: dict[str, AccessToken] = field(default_factory=dict[str, AccessToken])
    refresh: dict[str, RefreshToken] = field(default_factory=dict[str, RefreshToken])
    issued: list[str] = field(default_factory=list[str])
    """Every secret it ever gave away."""
    expires_in: int = 3600
    issuer: str = ""
    answers_as: str | None = None
    """The `iss` in its answers; `None`: its own."""
    accepts_tokens: bool = True
    denies: bool = False

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id is not None
        self.clients[client_info.client_id] = client_info
        if client_info.client_secret:
            self.issued.append(client_info.client_secret)

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        if self.denies:
            return construct_redirect_uri(
                str(params.redirect_uri), error="access_denied", state=params.state
            )
        code = self._new()
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [SCOPE],
            expires_at=_FAR_AWAY,
            client_id=client.client_id or "",
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        issuer = self.issuer if self.answers_as is None else self.answers_as
        return construct_redirect_uri(
            str(params.redirect_uri), code=code, state=params.state, iss=issuer
        )

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._grant(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Rotates, so that use of an old one is detected."""
        del self.refresh[refresh_token.token]
        self.access.clear()
        return self._grant(client, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def verify_token(self, token: str) -> AccessToken | None:
        return self.access.get(token) if self.accepts_tokens else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.revoke_all()

    async def exchange_identity_assertion(
        self, client: OAuthClientInformationFull, params: Any
    ) -> OAuthToken:
        raise NotImplementedError

    def revoke_all(self) -> None:
        self.access.clear()
        self.refresh.clear()

    def expire_access(self) -> None:
        self.access.clear()

    def _grant(
        self, client: OAuthClientInformationFull, scopes: list[str], resource: str | None
    ) -> OAuthToken:
        name, access, refresh = client.client_id or "", self._new(), self._new()
        self.access[access] = AccessToken(
            token=access, client_id=name, scopes=scopes, resource=resource
        )
        self.refresh[refresh] = RefreshToken(
            token=refresh, client_id=name, scopes=scopes, resource=resource
        )
        return OAuthToken(
            access_token=access,
            refresh_token=refresh,
            expires_in=self.expires_in,
            scope=" ".join(scopes),
        )

    def _new(self) -> str:
        self.issued.append(secrets.token_hex(20))
        return self.issued[-1]


@dataclass(slots=True)
class OAuthServer:
    """The application; `served()` serves it."""

    provider: Provider = field(default_factory=Provider)
    registration: bool = True
    resource_metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """What to say instead of the truth, in either kind of metadata."""
    server_metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    requests: Counter[str] = field(default_factory=Counter[str])
    unavailable: bool = False
    """Whether every request fails with a server error."""
    url: str = ""
    _mcp: ASGIApp = field(default_factory=sdk_app)
    _auth: ASGIApp = field(default_factory=Starlette)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._mcp(scope, receive, send)
            return
        path: str = scope["path"]
        self.requests[path] += 1
        changed = self._changed_metadata(path)
        if self.unavailable:
            changed = JSONResponse({}, HTTPStatus.SERVICE_UNAVAILABLE)
        await (changed or self._auth)(scope, receive, send)

    @contextlib.contextmanager
    def served(self, port: int = 0) -> Generator[str]:
        """Serve; yields the URL of the MCP server."""
        with serving(self, port) as url:
            self.url, issuer = url, AnyHttpUrl(url)
            self.provider.issuer = str(issuer)  # as its metadata spells it, with a trailing slash
            self._auth = self._routes(issuer, AnyHttpUrl(f"{url}/mcp"))
            yield f"{url}/mcp"

    def count(self, *paths: str) -> int:
        return sum(self.requests[path] for path in paths)

    def _routes(self, issuer: AnyHttpUrl, resource: AnyHttpUrl) -> ASGIApp:
        metadata = AnyHttpUrl(f"{self.url}/.well-known/oauth-protected-resource/mcp")
        guarded = RequireAuthMiddleware(self._mcp, [SCOPE], metadata)
        options = ClientRegistrationOptions(enabled=self.registration, valid_scopes=[SCOPE])
        app = Starlette(
            routes=[
                *create_auth_routes(
                    self.provider,
                    issuer,
                    client_registration_options=options,
                    revocation_options=RevocationOptions(enabled=True),
                ),
                *create_protected_resource_routes(resource, [issuer], [SCOPE]),
                Mount("/", guarded),
            ]
        )
        return AuthenticationMiddleware(app, backend=BearerAuthBackend(self.provider))

    def _changed_metadata(self, path: str) -> ASGIApp | None:
        if path == "/.well-known/oauth-protected-resource/mcp" and self.resource_metadata:
            truth = {"resource": f"{self.url}/mcp", "authorization_servers": [self.url]}
            return JSONResponse({**truth, **self.resource_metadata})
        if path == "/.well-known/oauth-authorization-server" and self.server_metadata:
            truth = {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "registration_endpoint": f"{self.url}/register",
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
            return JSONResponse({**truth, **self.server_metadata})
        return None
