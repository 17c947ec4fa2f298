"""How the tests of this folder sign in: an account at a real server, a browser that accepts."""

from __future__ import annotations

from dataclasses import dataclass, field

import httpx2

from router.config.server import OAuthConfig, ServerConfig
from router.domain.ids import WorkspaceId
from router.runtime.tasks import spawn
from router.upstream.connect import LaunchPlan, open_upstream
from router.upstream.connection import UpstreamConnection
from router.upstream.oauth.account import Account
from router.upstream.oauth.address_policy import Resolve, resolve_host
from router.upstream.oauth.credential_store import CredentialStore
from router.upstream.oauth.flow import start_sign_in
from router.upstream.oauth.guarded_http_client import GuardedHttpClient
from tests.support.fakes import FakeClock, FakeSecrets


@dataclass(slots=True)
class OAuthUser:
    """A user with a keyring and a clock, who uses the server at `url`."""

    url: str
    options: OAuthConfig = field(default_factory=OAuthConfig)
    secrets: FakeSecrets = field(default_factory=FakeSecrets)
    clock: FakeClock = field(default_factory=FakeClock)
    resolve_host: Resolve = resolve_host

    def account(self) -> Account:
        """As after a start: everything known is in the keyring."""

        async def options() -> OAuthConfig:
            return self.options

        return Account(
            "notes",
            self.url,
            credential_store=CredentialStore(self.secrets, WorkspaceId("personal")),
            http=GuardedHttpClient(self.url, resolve_host=self.resolve_host),
            options=options,
            clock=self.clock,
        )


async def connect(account: Account) -> UpstreamConnection:
    return await open_upstream(
        LaunchPlan(ServerConfig(url=account.url), credentials=account),
        on_notification=lambda _method, _params: None,
        on_stderr=lambda _line: None,
    )


async def visit(url: str) -> httpx2.Response:
    """Open a page as a browser would, and follow redirects."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        return await browser.get(url)


async def sign_in(account: Account) -> httpx2.Response:
    """The whole flow, with a user who accepts; returns the last page."""
    pending = await start_sign_in(account)
    finishing = spawn(pending.finish(), name="finish sign-in")
    page = await visit(pending.sign_in.authorization_url)
    await finishing
    return page
