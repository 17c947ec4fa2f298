"""Signing in to servers: their accounts, and the sign-ins that wait for the user."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias
from urllib.parse import urlsplit

from router.config.server import OAuthConfig, ServerConfig
from router.domain.errors import InvalidInput, ToolboothError, sentence
from router.domain.failures import Failure
from router.domain.ids import ServerRef
from router.domain.servers import SignIn
from router.runtime.tasks import spawn, stop
from router.service.context import ServiceContext
from router.service.secret_storage import require_keyring
from router.store.secrets import resolve
from router.upstream.errors import failed
from router.upstream.oauth.account import Account
from router.upstream.oauth.credential_store import CredentialStore
from router.upstream.oauth.errors import SignInFailed, sign_in_needed
from router.upstream.oauth.flow import SIGN_IN_TIMEOUT_S, start_sign_in
from router.upstream.oauth.guarded_http_client import GuardedHttpClient

OnEnded: TypeAlias = Callable[[ServerRef, Failure | None], Awaitable[None]]
"""Called when a sign-in ended, with the failure if it failed, and after signing out."""

_STOPPED = "The sign-in was cancelled."


class _Attempt:
    """A sign-in from its first request to its end; the last one is kept for its result."""

    def __init__(self) -> None:
        self.begun: asyncio.Future[SignIn | ToolboothError] = asyncio.Future()
        """Where to sign in, or why the sign-in could not begin."""
        self.run: asyncio.Task[ToolboothError | None]
        self.over = False
        """Whether it no longer waits for the user."""


@dataclass(slots=True)
class SignIns:
    """The production implementation of `api.sign_ins.SignInsPort`, and the credentials of servers
    that are signed in to."""

    _context: ServiceContext
    _on_ended: OnEnded
    _is_serving: Callable[[], bool]
    """Whether this process stays, so that a sign-in without a keyring is of use."""
    timeout_s: float = SIGN_IN_TIMEOUT_S
    _accounts: dict[ServerRef, Account] = field(default_factory=dict[ServerRef, Account])
    _attempts: dict[ServerRef, _Attempt] = field(default_factory=dict[ServerRef, _Attempt])

    async def credentials(self, ref: ServerRef) -> Account | None:
        """The account to connect with, if the settings have no credentials of their own. Raises
        `UpstreamFailed` if it is known that the user must sign in first."""
        config = self._context.catalogs.entry(ref).config
        if config.url is None or _has_own_credentials(config):
            return None
        account = self._account(ref, config.url)
        await account.token()
        return account

    async def begin(self, ref: ServerRef) -> SignIn:
        """Start a sign-in, or join the one that waits."""
        if not self._is_serving():
            await require_keyring(self._context.secrets)
        attempt = self._attempts.get(ref)
        if attempt is None or attempt.over:
            attempt = self._attempts[ref] = self._start(ref)
        begun = await asyncio.shield(attempt.begun)
        if isinstance(begun, ToolboothError):
            raise begun.with_traceback(None)
        return begun

    async def ended(self, ref: ServerRef) -> None:
        """Wait for the sign-in that was begun last. Raises `UpstreamFailed` if it failed."""
        if attempt := self._attempts.get(ref):
            error = await asyncio.shield(attempt.run)
            if error is not None:
                raise error.with_traceback(None)

    async def sign_out(self, ref: ServerRef) -> None:
        await self._cancel(ref)
        await self._sign_in_account(ref).sign_out()
        await self._on_ended(ref, sign_in_needed(ref.server, "you signed out"))

    def reset(self, ref: ServerRef) -> None:
        """At its next request, try again whether the server still requires a sign-in."""
        if account := self._accounts.get(ref):
            account.reset()

    async def forget(self, ref: ServerRef) -> None:
        """The server is gone or another one now; its keyring entries stay, for it may come back."""
        await self._cancel(ref)
        self._accounts.pop(ref, None)

    async def close(self) -> None:
        for ref in list(self._attempts):
            await self._cancel(ref)

    async def _cancel(self, ref: ServerRef) -> None:
        if attempt := self._attempts.pop(ref, None):
            await stop(attempt.run)

    def _start(self, ref: ServerRef) -> _Attempt:
        account, attempt = self._sign_in_account(ref), _Attempt()
        attempt.run = spawn(self._run(ref, account, attempt), name=f"sign in to {ref.server}")
        attempt.run.add_done_callback(
            lambda _: attempt.begun.done() or attempt.begun.set_result(SignInFailed(_STOPPED))
        )
        return attempt

    async def _run(
        self, ref: ServerRef, account: Account, attempt: _Attempt
    ) -> ToolboothError | None:
        failure: Failure | None = None
        try:
            pending = await start_sign_in(account, self.timeout_s)
            attempt.begun.set_result(pending.sign_in)
            await pending.finish()
        except ToolboothError as error:
            if not attempt.begun.done():
                attempt.begun.set_result(error)
                return error
            failure = sign_in_needed(ref.server, sentence(error.message))
        finally:
            attempt.over = True
        await self._on_ended(ref, failure)
        return failed(failure) if failure else None

    def _sign_in_account(self, ref: ServerRef) -> Account:
        entry = self._context.catalogs.entry(ref)
        if entry.config.url is None:
            raise InvalidInput(
                sentence("{name} runs on this computer and needs no sign-in.", name=entry.name)
            )
        if _has_own_credentials(entry.config):
            raise InvalidInput(
                sentence(
                    "{name} uses the token in its settings instead of a sign-in.",
                    name=entry.name,
                ),
                "Fix it there, or remove it and sign in.",
            )
        return self._account(ref, entry.config.url)

    def _account(self, ref: ServerRef, url: str) -> Account:
        if ref not in self._accounts:
            self._accounts[ref] = Account(
                ref.server,
                url,
                credential_store=CredentialStore(self._context.secrets, ref.workspace),
                http=GuardedHttpClient(url),
                options=lambda: self._options(ref),
                clock=self._context.clock,
                on_secrets=partial(self._context.redactor.set_secrets, ref, source="sign-in"),
            )
        return self._accounts[ref]

    async def _options(self, ref: ServerRef) -> OAuthConfig:
        options = self._context.catalogs.entry(ref).config.oauth or OAuthConfig()
        given = {"client_secret": options.client_secret}
        return options.model_copy(update=await resolve(given, self._context.secrets, os.environ))


def _has_own_credentials(config: ServerConfig) -> bool:
    """Whether its configuration has a token or password, which goes before any sign-in."""
    has_header = any(name.lower() == "authorization" for name in config.headers)
    return has_header or "@" in urlsplit(config.url or "").netloc
