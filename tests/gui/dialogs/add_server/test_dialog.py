"""Adding and editing a server: pasted or typed, validated, consented to, and no input lost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.dialogs.add_server.dialog import ServerDialog
from gui.dialogs.add_server.draft import DraftField, ServerDraft
from gui.link.commands import Commands
from router.config.server import ServerConfig
from router.domain.errors import Conflict, InvalidInput
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.servers import TransportType
from tests.gui.driver import button, texts
from tests.support.fakes import FakeRouter, SentCommand, fake_status, run_now
from tests.support.timeouts import WAIT_MS

PERSONAL = WorkspaceId("personal")
TIME = ServerConfig(command="uvx", args=("mcp-server-time", "--tz", "Asia/Tokyo"))


@pytest.fixture
def router() -> FakeRouter:
    return FakeRouter()


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """Outlives the dialog, which deletes itself on close."""
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def dialog(router: FakeRouter, window: QWidget, gui_loop: object) -> ServerDialog:
    dialog = ServerDialog(router, Commands(run_now), PERSONAL, window)
    dialog.open()
    return dialog


@pytest.fixture
def saved(dialog: ServerDialog) -> list[ServerRef]:
    refs: list[ServerRef] = []
    dialog.saved.connect(refs.append)
    return refs


@pytest.mark.proves("CARD-2")
def test_the_typed_server_is_added_with_consent(
    dialog: ServerDialog, router: FakeRouter, saved: list[ServerRef], qtbot: QtBot
) -> None:
    dialog.form.set_draft(ServerDraft.of("time", TIME))
    dialog.submit()
    assert router.commands == [SentCommand("servers.add", (PERSONAL, "time", TIME, True))]
    qtbot.waitUntil(lambda: saved == [ServerRef(PERSONAL, ServerId("time"))], timeout=WAIT_MS)


def test_a_duplicate_name_is_refused_while_typing(dialog: ServerDialog, router: FakeRouter) -> None:
    router.state.servers[PERSONAL] = (fake_status("Time"),)
    dialog.form.set_draft(ServerDraft.of("time", TIME))
    assert "A server named time already exists." in texts(dialog)
    dialog.submit()
    assert router.commands == []
    dialog.form.set_draft(ServerDraft.of("time 2", TIME))
    dialog.submit()
    assert router.commands[-1].name == "servers.add"


def test_a_pasted_command_line_fills_the_form(dialog: ServerDialog, qtbot: QtBot) -> None:
    dialog.paste.paste("uvx mcp-server-time --tz Asia/Tokyo")
    qtbot.waitUntil(lambda: dialog.form.draft().name == "time", timeout=WAIT_MS)
    assert dialog.form.draft().config() == TIME


def test_a_pasted_url_switches_the_form_to_url(dialog: ServerDialog, qtbot: QtBot) -> None:
    dialog.paste.paste("https://mcp.linear.app/mcp")
    qtbot.waitUntil(lambda: dialog.form.draft().transport is TransportType.HTTP, timeout=WAIT_MS)
    assert dialog.consent.facts() == ["https://mcp.linear.app/mcp"]


def test_several_pasted_servers_are_imported_together(
    dialog: ServerDialog, router: FakeRouter, qtbot: QtBot
) -> None:
    dialog.paste.paste('{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}')
    qtbot.waitUntil(lambda: dialog.paste.result().endswith("a, b"), timeout=WAIT_MS)
    dialog.paste.import_all()
    servers = {"a": ServerConfig(command="x"), "b": ServerConfig(command="y")}
    assert router.commands == [SentCommand("servers.add_imported", (PERSONAL, servers))]


def test_an_unreadable_paste_is_reported_and_changes_nothing(
    dialog: ServerDialog, qtbot: QtBot
) -> None:
    dialog.form.set_draft(ServerDraft.of("time", TIME))
    dialog.paste.paste('{"mcpServers": ')
    qtbot.waitUntil(lambda: "Invalid JSON" in dialog.paste.result(), timeout=WAIT_MS)
    assert dialog.form.draft().config() == TIME


def test_the_consent_shows_each_argument_and_only_names_of_variables(
    dialog: ServerDialog,
) -> None:
    config = ServerConfig(command="npx", args=("-y", "a b"), env={"TOKEN": "s3cret"}, cwd="/srv")
    dialog.form.set_draft(ServerDraft.of("x", config))
    assert dialog.consent.facts() == ["npx", "-y", "a b", "TOKEN", "/srv"]


def test_the_consent_shows_no_secret_of_an_argument_or_url(dialog: ServerDialog) -> None:
    config = ServerConfig(command="run", args=("--token", "hunter2"))
    dialog.form.set_draft(ServerDraft.of("x", config))
    assert dialog.consent.facts() == ["run", "--token", "***"]
    address = ServerConfig(url="https://x.example/mcp?api_key=hunter2")
    dialog.form.set_draft(ServerDraft.of("x", address))
    assert dialog.consent.facts() == ["https://x.example/mcp?api_key=***"]


def test_a_refused_server_leaves_the_dialog_open_with_its_fields(
    dialog: ServerDialog, router: FakeRouter, saved: list[ServerRef], qtbot: QtBot
) -> None:
    router.failures["servers.add"] = Conflict("There is a server time already.", "Rename it.")
    dialog.form.set_draft(ServerDraft.of("time", TIME))
    dialog.submit()
    qtbot.waitUntil(
        lambda: dialog.error() == "There is a server time already. Rename it.", timeout=WAIT_MS
    )
    assert dialog.isVisible()
    assert dialog.form.draft().config() == TIME
    assert saved == []


def test_an_incomplete_form_is_not_sent(dialog: ServerDialog, router: FakeRouter) -> None:
    dialog.submit()
    assert router.commands == []
    assert dialog.isVisible()


def test_the_button_is_enabled_once_the_form_is_complete_and_says_why_not_before(
    dialog: ServerDialog,
) -> None:
    save = button(dialog, "Add and run")
    assert not save.isEnabled()
    assert "Enter a name for the server." in texts(dialog)
    dialog.form.set_draft(ServerDraft.of("time", TIME))
    assert save.isEnabled()
    assert "Enter a name for the server." not in texts(dialog)


def test_editing_keeps_keys_the_form_does_not_show(
    dialog: ServerDialog, router: FakeRouter
) -> None:
    ref = ServerRef(PERSONAL, ServerId("time"))
    before = {**TIME.to_json(), "disabled": True, "autoApprove": ["now"]}
    router.state.configs[ref] = ServerConfig.model_validate(before)
    dialog.edit(ref, "time")
    focus = dialog.focusWidget()
    assert focus is not None
    assert focus.accessibleName() == "Command line"
    dialog.form.set_draft(replace(dialog.form.draft(), command_line="uvx other"))
    dialog.submit()
    expected = ServerConfig.model_validate(
        {"command": "uvx", "args": ["other"], "disabled": True, "autoApprove": ["now"]}
    )
    assert router.commands == [SentCommand("servers.update", (ref, "time", expected, True))]


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (ServerDraft(name="", command_line="x"), DraftField.NAME),
        (ServerDraft(name="n" * 81, command_line="x"), DraftField.NAME),
        (ServerDraft(name="n"), DraftField.COMMAND),
        (ServerDraft(name="n", command_line='x "'), DraftField.COMMAND),
        (ServerDraft(name="n", command_line="x", env=(("", "v"),)), DraftField.ENV),
        (ServerDraft(name="n", command_line="x", env=(("A B", "v"),)), DraftField.ENV),
        (ServerDraft(name="n", command_line="x", env=(("A", "1"), ("A", "2"))), DraftField.ENV),
        (ServerDraft(name="n", transport=TransportType.HTTP, url="ftp://x"), DraftField.URL),
        (ServerDraft(name="n", transport=TransportType.HTTP, url="http://x:port"), DraftField.URL),
        (
            ServerDraft(
                name="n", transport=TransportType.HTTP, url="http://x", headers=(("A:", "v"),)
            ),
            DraftField.HEADERS,
        ),
    ],
)
def test_each_field_shows_its_own_error(draft: ServerDraft, field: DraftField) -> None:
    assert list(draft.problems()) == [field]
    with pytest.raises(InvalidInput):
        draft.config()


@pytest.mark.proves("U-1")
@pytest.mark.parametrize(
    ("names", "risky"),
    [
        (["NODE_OPTIONS", "TZ"], ["NODE_OPTIONS"]),
        (["LD_PRELOAD", "PATH", "PYTHONPATH"], ["LD_PRELOAD", "PATH", "PYTHONPATH"]),
        (["npm_config_yes", "UV_INDEX", "DYLD_X"], ["npm_config_yes", "UV_INDEX", "DYLD_X"]),
        (["API_TOKEN", "MY_PATH"], []),
    ],
)
def test_variables_that_can_load_code_are_flagged(names: list[str], risky: list[str]) -> None:
    draft = ServerDraft(name="n", command_line="x", env=tuple((name, "") for name in names))
    assert draft.risky_variables() == risky
