"""Who makes a request, and in which scope: token, path, header and `_meta` must agree.

Pure: a token and what the request says about itself in, a `Principal` or an `HTTPError` out.
Decided before anything else is done with the request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from router.catalog import config_edits
from router.catalog.catalog import WorkspaceCatalog
from router.config.workspace import WorkspaceConfig
from router.domain.clients import Principal, TokenSummary
from router.domain.ids import ProjectId, WorkspaceId
from router.gateway.http.http_request import HTTPError

OPEN_CLIENT = "This computer"
"""The name of clients without a token, where the user has opened the endpoint."""

_UNASSIGNED = frozenset({"", "unassigned", "UNASSIGNED_PROJECT_ID"})


@dataclass(frozen=True, slots=True)
class RequestedScope:
    """The workspace and project a request names, besides its token."""

    path_workspace: str | None = None
    path_project: str | None = None
    header_project: str | None = None
    meta_project: str | None = None


@dataclass(frozen=True, slots=True)
class Authenticator:
    verify: Callable[[str], TokenSummary | None]
    active_workspace: Callable[[], WorkspaceId]
    catalogs: Mapping[WorkspaceId, WorkspaceCatalog]
    is_open: Callable[[], bool]

    def authenticate(self, token: str | None) -> TokenSummary | None:
        """The token's record; `None` for a client that needs no token."""
        if token is None:
            if self.is_open():
                return None
            raise HTTPError(
                401, "A token is needed. The user can create one in Toolbooth.", "no token"
            )
        if (summary := self.verify(token)) is None:
            raise HTTPError(
                401, "The token is wrong, expired or revoked.", "unknown token", wrong_token=True
            )
        return summary

    def principal(self, token: TokenSummary | None, scope: RequestedScope) -> Principal:
        """The principal of a request, with the scope on which token and request agree."""
        client = token.name if token else OPEN_CLIENT
        workspace = _agreed(
            "workspace", client, token.workspace if token else None, scope.path_workspace
        )
        project = _agreed(
            "project",
            client,
            token.project if token else None,
            _project(scope.path_project),
            _project(scope.header_project),
            _project(scope.meta_project),
        )
        principal = Principal(
            client=client,
            token=token.id if token else None,
            workspace=WorkspaceId(workspace) if workspace else self.active_workspace(),
            project=ProjectId(project) if project else None,
            servers=frozenset(token.servers) if token and token.servers is not None else None,
            chose_project=project is not None and (token is None or token.project is None),
        )
        config = self._check_exists(principal)
        if token is not None and token.workspace is not None:
            current = config_edits.generation(config, token.project)
            if (token.generation or "") != current:
                of = "workspace" if token.project is None else "project"
                raise HTTPError(
                    403, f"The token is for an earlier {of} of this name. Create a new one.", client
                )
        return principal

    def _check_exists(self, principal: Principal) -> WorkspaceConfig:
        workspace, project = principal.workspace, principal.project
        catalog = self.catalogs.get(workspace)
        if catalog is None:
            raise HTTPError(404, f'There is no workspace "{workspace}".', principal.client)
        if project is not None and project not in catalog.config.projects:
            raise HTTPError(404, f'There is no project "{project}".', principal.client)
        return catalog.config


def _project(name: str | None) -> str | None:
    return None if name is None or name in _UNASSIGNED else name


def _agreed(what: str, client: str, of_token: str | None, *named: str | None) -> str | None:
    """The one name that the token and the request give together, if any."""
    names = {name for name in (of_token, *named) if name is not None}
    if len(names) > 1:
        mismatch = f"The token is for another {what} than the request names."
        ambiguity = f"The request names more than one {what}."
        raise HTTPError(403, mismatch if of_token else ambiguity, client)
    return names.pop() if names else None
