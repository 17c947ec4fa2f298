"""Learning from use: what follows a search decides what it teaches, and the file keeps it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from router.domain.clients import Principal
from router.domain.ids import ProjectId, ServerId, TokenId, ToolKey, WorkspaceId
from router.domain.search import Learned
from router.service.learning import PATIENCE_S, Learning
from router.store.lessons import FILE_NAME

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HOME = WorkspaceId("home")
ISSUE = ToolKey(ServerId("github"), "create_issue")
OTHER = ToolKey(ServerId("github"), "list_issues")
EDITOR = Principal("Editor", TokenId("one"), HOME, None)


class Desk:
    """Learning with a clock and a switch."""

    def __init__(self, folder: Path) -> None:
        self.seconds = 0.0
        self.on = True
        self.learning = Learning(folder, lambda: self.on, lambda: NOW, lambda: self.seconds)

    def learned(self, project: ProjectId | None = None) -> Learned:
        return self.learning.learned(HOME, project)


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    await desk.learning.open(HOME)
    return desk


async def test_a_tool_that_is_run_after_a_search_is_learned(desk: Desk) -> None:
    desk.learning.searched(EDITOR, ["report a bug"], [OTHER, ISSUE])
    desk.learning.executed(EDITOR, ISSUE)
    [lesson] = desk.learned().lessons
    assert (lesson.words, lesson.tool) == (("bug", "report"), "github:create_issue")
    [experience] = desk.learning.experiences(EDITOR)
    assert experience.strength == pytest.approx(0.5)
    await desk.learning.close()


async def test_a_search_that_nothing_follows_is_a_miss(desk: Desk) -> None:
    desk.learning.searched(EDITOR, ["bake a cake"], [ISSUE])
    assert desk.learned() == Learned()
    desk.seconds = PATIENCE_S + 1
    assert [miss.words for miss in desk.learned().misses] == [("bake", "cake")]
    await desk.learning.close()


@pytest.mark.parametrize(
    "caller",
    [
        Principal("Other", TokenId("two"), HOME, None),
        Principal("Editor", TokenId("one"), HOME, ProjectId("site")),
    ],
)
async def test_what_another_client_or_project_runs_teaches_nothing(
    desk: Desk, caller: Principal
) -> None:
    desk.learning.searched(EDITOR, ["report a bug"], [ISSUE])
    desk.learning.executed(caller, ISSUE)
    assert desk.learned() == desk.learned(ProjectId("site")) == Learned()


async def test_a_tool_that_the_search_did_not_find_teaches_nothing(desk: Desk) -> None:
    desk.learning.searched(EDITOR, ["report a bug"], [OTHER])
    desk.learning.executed(EDITOR, ISSUE)
    assert desk.learned() == Learned()


async def test_switched_off_nothing_is_learned_or_used(desk: Desk) -> None:
    desk.learning.searched(EDITOR, ["report a bug"], [ISSUE])
    desk.learning.executed(EDITOR, ISSUE)
    desk.on = False
    assert desk.learning.experiences(EDITOR) == ()
    desk.learning.searched(EDITOR, ["list them"], [OTHER])
    desk.learning.executed(EDITOR, OTHER)
    assert [lesson.tool for lesson in desk.learned().lessons] == ["github:create_issue"]
    await desk.learning.close()


async def test_what_was_learned_is_there_after_a_restart_and_gone_after_clearing(
    desk: Desk, tmp_path: Path
) -> None:
    desk.learning.searched(EDITOR, ["report a bug"], [ISSUE])
    desk.learning.executed(EDITOR, ISSUE)
    await desk.learning.close()
    assert (tmp_path / HOME / FILE_NAME).stat().st_mode & 0o777 == 0o600
    again = Desk(tmp_path)
    await again.learning.open(HOME)
    assert again.learned() == desk.learned() != Learned()
    await again.learning.clear(HOME, None)
    last = Desk(tmp_path)
    await last.learning.open(HOME)
    assert last.learned() == Learned()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"schemaVersion": 9}', '{"projects": {"-": 1}}']
)
async def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / HOME).mkdir()
    (tmp_path / HOME / FILE_NAME).write_text(content)
    desk = Desk(tmp_path)
    await desk.learning.open(HOME)
    assert desk.learned() == Learned()
