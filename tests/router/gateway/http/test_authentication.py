"""Token, path, header and `_meta` must agree on the scope of a request."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from router.catalog.catalog import WorkspaceCatalog
from router.config.workspace import WorkspaceConfig
from router.domain.clients import TokenSummary
from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId
from router.gateway.http.authentication import Authenticator, RequestedScope
from router.gateway.http.http_request import HTTPError
from router.search.provider import Provider

HOME, WORK = WorkspaceId("home"), WorkspaceId("work")


def token(workspace: str | None = None, project: str | None = None) -> TokenSummary:
    return TokenSummary(
        TokenId("abcdefgh"),
        "Editor",
        WorkspaceId(workspace) if workspace else None,
        ProjectId(project) if project else None,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        expires_at=None,
        last_used_at=None,
    )


def rules(*, is_open: bool = False) -> Authenticator:
    config = WorkspaceConfig.model_validate({"name": "W", "projects": {"site": {"name": "Site"}}})
    catalogs = {name: WorkspaceCatalog(config, Provider()) for name in (HOME, WORK)}
    return Authenticator(
        verify=lambda text: token() if text == "good" else None,
        active_workspace=lambda: HOME,
        catalogs=catalogs,
        is_open=lambda: is_open,
    )


@pytest.mark.proves("META-6")
@pytest.mark.parametrize("text", [None, "bad"])
def test_without_a_valid_token_the_status_is_401(text: str | None) -> None:
    with pytest.raises(HTTPError) as refusal:
        rules().authenticate(text)
    assert refusal.value.status == 401


@pytest.mark.proves("META-6")
def test_an_open_endpoint_needs_no_token_but_still_refuses_a_wrong_one() -> None:
    assert rules(is_open=True).authenticate(None) is None
    with pytest.raises(HTTPError):
        rules(is_open=True).authenticate("bad")


@pytest.mark.proves("META-6")
@pytest.mark.parametrize(
    ("bearer", "scope", "expected"),
    [
        (token(), RequestedScope(), (HOME, None)),
        (token(), RequestedScope(path_workspace="work"), (WORK, None)),
        (token("work"), RequestedScope(), (WORK, None)),
        (token("work"), RequestedScope(path_workspace="work", path_project="site"), (WORK, "site")),
        (token("work", "site"), RequestedScope(header_project="site"), (WORK, "site")),
        (token(), RequestedScope(meta_project="site"), (HOME, "site")),
        (token(), RequestedScope(header_project="", meta_project="unassigned"), (HOME, None)),
    ],
)
def test_the_scope_is_the_intersection_of_all_claims(
    bearer: TokenSummary, scope: RequestedScope, expected: tuple[str, str | None]
) -> None:
    principal = rules().principal(bearer, scope)
    assert (principal.workspace, principal.project) == expected
    assert principal.client == "Editor"


@pytest.mark.proves("META-6")
def test_a_tokens_servers_limit_its_client() -> None:
    narrow = replace(token("work"), servers=(ServerId("files"),))
    assert rules().principal(narrow, RequestedScope()).servers == {"files"}
    assert rules().principal(token("work"), RequestedScope()).servers is None


@pytest.mark.proves("META-6")
@pytest.mark.parametrize(
    ("bearer", "scope"),
    [
        (token("work"), RequestedScope(path_workspace="home")),
        (token("work", "site"), RequestedScope(path_workspace="work", path_project="other")),
        (token(), RequestedScope(header_project="site", meta_project="other")),
    ],
)
def test_conflicting_claims_are_refused_with_403(
    bearer: TokenSummary, scope: RequestedScope
) -> None:
    with pytest.raises(HTTPError) as refusal:
        rules().principal(bearer, scope)
    assert refusal.value.status == 403


@pytest.mark.proves("META-6")
@pytest.mark.parametrize(
    "scope", [RequestedScope(path_workspace="x"), RequestedScope(meta_project="nobody")]
)
def test_an_unknown_workspace_or_project_is_an_error(scope: RequestedScope) -> None:
    with pytest.raises(HTTPError) as refusal:
        rules().principal(token(), scope)
    assert refusal.value.status == 404


def test_a_token_of_another_workspace_is_refused_with_the_reason() -> None:
    with pytest.raises(
        HTTPError, match="The token is for another workspace than the request names"
    ):
        rules().principal(token("work"), RequestedScope(path_workspace="home"))
