"""Who is calling, and inside which boundary: token, path, header and `_meta` must agree.

Pure: a request's claims in, a `Principal` or a refusal out. Decided before anything else is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from router.catalog.catalog import WorkspaceCatalog
from router.domain.clients import Principal, TokenSummary
from router.domain.ids import ProjectId, WorkspaceId

OPEN_CLIENT = "This computer"
"""How callers without a token are called when the person has opened the endpoint."""

_UNASSIGNED = frozenset({"", "unassigned", "UNASSIGNED_PROJECT_ID"})


@dataclass(frozen=True, slots=True)
class Claims:
    """What a request says about itself besides its token."""

    path_workspace: str | None = None
    path_project: str | None = None
    header_project: str | None = None
    meta_project: str | None = None


class Refusal(Exception):
    """The request ends here with this HTTP status."""

    def __init__(
        self, status: int, message: str, client: str = "unknown", *, guessed: bool = False
    ) -> None:
        """`guessed`: it came with a token that is none."""
        super().__init__(message)
        self.guessed = guessed
        self.status = status
        self.message = message
        self.client = client


@dataclass(frozen=True, slots=True)
class CallerRules:
    verify: Callable[[str], TokenSummary | None]
    active_workspace: Callable[[], WorkspaceId]
    catalogs: Mapping[WorkspaceId, WorkspaceCatalog]
    is_open: Callable[[], bool]

    def authenticate(self, token: str | None) -> TokenSummary | None:
        """The token's record; `None` for a caller who needs none."""
        if token is None:
            if self.is_open():
                return None
            raise Refusal(
                401, "A token is needed. Create one with: toolbooth token new NAME", "no token"
            )
        if (summary := self.verify(token)) is None:
            raise Refusal(
                401, "The token is wrong, expired or revoked.", "unknown token", guessed=True
            )
        return summary

    def caller(self, token: TokenSummary | None, claims: Claims) -> Principal:
        """The boundary everything named agrees on."""
        client = token.name if token else OPEN_CLIENT
        workspace = _agreed(
            "workspace", client, token.workspace if token else None, claims.path_workspace
        )
        project = _agreed(
            "project",
            client,
            token.project if token else None,
            _project(claims.path_project),
            _project(claims.header_project),
            _project(claims.meta_project),
        )
        caller = Principal(
            client=client,
            token=token.id if token else None,
            workspace=WorkspaceId(workspace) if workspace else self.active_workspace(),
            project=ProjectId(project) if project else None,
            servers=frozenset(token.servers) if token and token.servers is not None else None,
        )
        self._check_exists(caller)
        return caller

    def _check_exists(self, caller: Principal) -> None:
        catalog = self.catalogs.get(caller.workspace)
        if catalog is None:
            raise Refusal(404, f'There is no workspace "{caller.workspace}".', caller.client)
        if caller.project is not None and caller.project not in catalog.config.projects:
            raise Refusal(404, f'There is no project "{caller.project}".', caller.client)


def _project(claim: str | None) -> str | None:
    return None if claim is None or claim in _UNASSIGNED else claim


def _agreed(what: str, client: str, own: str | None, *claims: str | None) -> str | None:
    """What the token, which names its `own`, and the request say together."""
    named = {claim for claim in (own, *claims) if claim is not None}
    if len(named) > 1:
        words = f"The token is for another {what} than the request names."
        raise Refusal(403, words if own else f"The request names more than one {what}.", client)
    return named.pop() if named else None
