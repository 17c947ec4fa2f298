"""The part of a fake router that is about permissions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from router.api.events import Event, PermissionResolved
from router.config.workspace import PermissionRule
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.permissions import Answer, PermissionRequest, PermissionRequestId
from tests.fake_activity import FakeActivity


class FakePermissions(FakeActivity):
    """Answers `permission_requests` from `asks`; an answered one is taken out, and told."""

    def __init__(self, record: Callable[..., None], emit: Callable[[Event], None]) -> None:
        self.asks: tuple[PermissionRequest, ...] = ()
        self.__record = record
        self.__emit = emit

    def permission_requests(self) -> tuple[PermissionRequest, ...]:
        return self.asks

    async def answer_permission(self, request_id: PermissionRequestId, answer: Answer) -> None:
        self.__record("answer_permission", request_id, answer)
        self.asks = tuple(known for known in self.asks if known.id != request_id)
        self.__emit(PermissionResolved(request_id))

    def permission_rules(
        self, workspace: WorkspaceId, project: ProjectId | None
    ) -> tuple[PermissionRule, ...]:
        return ()

    async def set_permission_rules(
        self,
        workspace: WorkspaceId,
        project: ProjectId | None,
        rules: Sequence[PermissionRule],
    ) -> None:
        self.__record("set_permission_rules", workspace, project, tuple(rules))
