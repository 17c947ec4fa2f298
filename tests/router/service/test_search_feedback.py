"""Usage history: recorded from calls after a search, and stored in a file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from router.domain.clients import Principal
from router.domain.ids import ProjectId, ServerId, TokenId, ToolKey, WorkspaceId
from router.domain.search import UsageHistory
from router.service.search_feedback import FOLLOW_UP_S, UsageRecorder
from router.store.deferred_writes import DeferredWrites
from router.store.usage_history import FILE_NAME

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HOME = WorkspaceId("home")
ISSUE = ToolKey(ServerId("github"), "create_issue")
OTHER = ToolKey(ServerId("github"), "list_issues")
EDITOR = Principal("Editor", TokenId("one"), HOME, None)


class RecorderHarness:
    """A recorder with a clock and a switch."""

    def __init__(self, folder: Path) -> None:
        self.seconds = 0.0
        self.on = True
        self.recorder = UsageRecorder(
            folder, lambda: self.on, lambda: NOW, DeferredWrites(), lambda: self.seconds
        )

    def history(self, project: ProjectId | None = None) -> UsageHistory:
        return self.recorder.history(HOME, project)


@pytest.fixture
async def harness(tmp_path: Path) -> RecorderHarness:
    harness = RecorderHarness(tmp_path)
    await harness.recorder.open(HOME)
    return harness


async def test_a_tool_called_after_a_search_is_recorded(harness: RecorderHarness) -> None:
    harness.recorder.record_search(EDITOR, ["report a bug"], [OTHER, ISSUE])
    harness.recorder.record_use(EDITOR, ISSUE)
    [use] = harness.history().uses
    assert (use.words, use.tool) == (("bug", "report"), "github:create_issue")
    [signal] = harness.recorder.usage_signals(EDITOR)
    assert signal.strength == pytest.approx(0.5)
    await harness.recorder.close()


async def test_a_search_without_a_following_call_is_abandoned(harness: RecorderHarness) -> None:
    harness.recorder.record_search(EDITOR, ["bake a cake"], [ISSUE])
    assert harness.history() == UsageHistory()
    harness.seconds = FOLLOW_UP_S + 1
    assert [search.words for search in harness.history().abandoned] == [("bake", "cake")]
    await harness.recorder.close()


@pytest.mark.parametrize(
    "caller",
    [
        Principal("Other", TokenId("two"), HOME, None),
        Principal("Editor", TokenId("one"), HOME, ProjectId("site")),
    ],
)
async def test_calls_of_another_client_or_project_are_not_recorded(
    harness: RecorderHarness, caller: Principal
) -> None:
    harness.recorder.record_search(EDITOR, ["report a bug"], [ISSUE])
    harness.recorder.record_use(caller, ISSUE)
    assert harness.history() == harness.history(ProjectId("site")) == UsageHistory()


async def test_a_tool_that_the_search_did_not_find_is_not_recorded(
    harness: RecorderHarness,
) -> None:
    harness.recorder.record_search(EDITOR, ["report a bug"], [OTHER])
    harness.recorder.record_use(EDITOR, ISSUE)
    assert harness.history() == UsageHistory()


async def test_nothing_is_recorded_or_used_while_switched_off(harness: RecorderHarness) -> None:
    harness.recorder.record_search(EDITOR, ["report a bug"], [ISSUE])
    harness.recorder.record_use(EDITOR, ISSUE)
    harness.on = False
    assert harness.recorder.usage_signals(EDITOR) == ()
    harness.recorder.record_search(EDITOR, ["list them"], [OTHER])
    harness.recorder.record_use(EDITOR, OTHER)
    assert [use.tool for use in harness.history().uses] == ["github:create_issue"]
    await harness.recorder.close()


async def test_the_history_survives_a_restart_and_is_gone_after_clearing(
    harness: RecorderHarness, tmp_path: Path
) -> None:
    harness.recorder.record_search(EDITOR, ["report a bug"], [ISSUE])
    harness.recorder.record_use(EDITOR, ISSUE)
    await harness.recorder.close()
    assert (tmp_path / HOME / FILE_NAME).stat().st_mode & 0o777 == 0o600
    again = RecorderHarness(tmp_path)
    await again.recorder.open(HOME)
    assert again.history() == harness.history() != UsageHistory()
    await again.recorder.clear(HOME, None)
    last = RecorderHarness(tmp_path)
    await last.recorder.open(HOME)
    assert last.history() == UsageHistory()


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"schemaVersion": 9}', '{"projects": {"-": 1}}']
)
async def test_a_file_that_cannot_be_read_is_ignored(tmp_path: Path, content: str) -> None:
    (tmp_path / HOME).mkdir()
    (tmp_path / HOME / FILE_NAME).write_text(content)
    harness = RecorderHarness(tmp_path)
    await harness.recorder.open(HOME)
    assert harness.history() == UsageHistory()
