"""Token, path, header and `_meta` must agree on where a request belongs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from router.catalog.catalog import WorkspaceCatalog
from router.config.workspace import WorkspaceConfig
from router.domain.clients import TokenSummary
from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId
from router.gateway.http.authentication import CallerRules, Claims, Refusal
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


def rules(*, is_open: bool = False) -> CallerRules:
    config = WorkspaceConfig.model_validate({"name": "W", "projects": {"site": {"name": "Site"}}})
    catalogs = {name: WorkspaceCatalog(config, Provider()) for name in (HOME, WORK)}
    return CallerRules(
        verify=lambda text: token() if text == "good" else None,
        active_workspace=lambda: HOME,
        catalogs=catalogs,
        is_open=lambda: is_open,
    )


@pytest.mark.proves("META-6")
@pytest.mark.parametrize("text", [None, "bad"])
def test_without_a_good_token_the_answer_is_401(text: str | None) -> None:
    with pytest.raises(Refusal) as refusal:
        rules().authenticate(text)
    assert refusal.value.status == 401


@pytest.mark.proves("META-6")
def test_an_open_endpoint_needs_no_token_but_still_refuses_a_wrong_one() -> None:
    assert rules(is_open=True).authenticate(None) is None
    with pytest.raises(Refusal):
        rules(is_open=True).authenticate("bad")


@pytest.mark.proves("META-6")
@pytest.mark.parametrize(
    ("bearer", "claims", "expected"),
    [
        (token(), Claims(), (HOME, None)),
        (token(), Claims(path_workspace="work"), (WORK, None)),
        (token("work"), Claims(), (WORK, None)),
        (token("work"), Claims(path_workspace="work", path_project="site"), (WORK, "site")),
        (token("work", "site"), Claims(header_project="site"), (WORK, "site")),
        (token(), Claims(meta_project="site"), (HOME, "site")),
        (token(), Claims(header_project="", meta_project="unassigned"), (HOME, None)),
    ],
)
def test_the_boundary_is_what_all_claims_agree_on(
    bearer: TokenSummary, claims: Claims, expected: tuple[str, str | None]
) -> None:
    caller = rules().caller(bearer, claims)
    assert (caller.workspace, caller.project) == expected
    assert caller.client == "Editor"


@pytest.mark.proves("META-6")
def test_a_tokens_servers_bound_its_caller() -> None:
    narrow = replace(token("work"), servers=(ServerId("files"),))
    assert rules().caller(narrow, Claims()).servers == {"files"}
    assert rules().caller(token("work"), Claims()).servers is None


@pytest.mark.proves("META-6")
@pytest.mark.parametrize(
    ("bearer", "claims"),
    [
        (token("work"), Claims(path_workspace="home")),
        (token("work", "site"), Claims(path_workspace="work", path_project="other")),
        (token(), Claims(header_project="site", meta_project="other")),
    ],
)
def test_claims_that_disagree_are_refused_with_403(bearer: TokenSummary, claims: Claims) -> None:
    with pytest.raises(Refusal) as refusal:
        rules().caller(bearer, claims)
    assert refusal.value.status == 403


@pytest.mark.proves("META-6")
@pytest.mark.parametrize("claims", [Claims(path_workspace="x"), Claims(meta_project="nobody")])
def test_an_unknown_workspace_or_project_is_an_error(claims: Claims) -> None:
    with pytest.raises(Refusal) as refusal:
        rules().caller(token(), claims)
    assert refusal.value.status == 404


def test_a_token_of_another_workspace_is_told_so() -> None:
    with pytest.raises(Refusal, match="The token is for another workspace than the request names"):
        rules().caller(token("work"), Claims(path_workspace="home"))
