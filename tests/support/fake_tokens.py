"""A typed fake of the facet about tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from router.api.events import TokensChanged
from router.domain.clients import IssuedToken, TokenSummary
from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId
from router.domain.names import slug
from tests.support.fake_state import FakeContext


class FakeTokens:
    """`TokensPort` on the state's tokens; changes are published."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self._record = context.record
        self._emit = context.emit

    def list(self) -> tuple[TokenSummary, ...]:
        return self._state.tokens

    async def issue(
        self,
        name: str,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        *,
        servers: Sequence[ServerId] | None = None,
        lifetime: timedelta | None = None,
    ) -> IssuedToken:
        self._record("tokens.issue", name, workspace, project, servers, lifetime)
        issued_at = datetime(2026, 1, 1, tzinfo=UTC)
        expires_at = issued_at + lifetime if lifetime else None
        only = tuple(servers) if servers is not None else None
        summary = TokenSummary(
            TokenId(slug(name)), name, workspace, project, issued_at, expires_at, None, only
        )
        self._state.tokens = (*self._state.tokens, summary)
        self._emit(TokensChanged())
        return IssuedToken(summary, secret=f"tb_{slug(name)}_secret")

    async def revoke(self, token: TokenId) -> None:
        self._record("tokens.revoke", token)
        self._state.tokens = tuple(known for known in self._state.tokens if known.id != token)
        self._emit(TokensChanged())
