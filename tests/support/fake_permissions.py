"""The part of a fake router that is about permissions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from router.api.events import Event, PermissionSettled
from router.config.workspace import PermissionRule
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.permissions import Answer, AskId, PermissionAsk
from tests.support.fake_activity import FakeActivity


class FakePermissions(FakeActivity):
    """Answers `permission_asks` from `asks`; an answered one is taken out, and told."""

    def __init__(self, record: Callable[..., None], emit: Callable[[Event], None]) -> None:
        self.asks: tuple[PermissionAsk, ...] = ()
        self.__record = record
        self.__emit = emit

    def permission_asks(self) -> tuple[PermissionAsk, ...]:
        return self.asks

    async def answer_permission(self, ask: AskId, answer: Answer) -> None:
        self.__record("answer_permission", ask, answer)
        self.asks = tuple(known for known in self.asks if known.id != ask)
        self.__emit(PermissionSettled(ask))

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
