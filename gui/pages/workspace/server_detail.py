"""The selected server: its state, tools, prompts, resources, log and configuration.

Sends no commands: every action of the user leaves as a signal.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from gui.components.attention.needs_attention import consent_lines
from gui.components.attention.tool_review import cuts_text, unread_text
from gui.components.tool_list import ToolList
from gui.pages.workspace.log_view import LogView
from gui.pages.workspace.prompt_resource_list import PromptResourceList
from gui.pages.workspace.server_config_view import ServerConfigView
from gui.pages.workspace.tool_detail import ToolDetail
from gui.text.errors import Action, failure_hint, failure_text, unconfined_remedy
from gui.text.install_hints import install_command
from gui.text.marks import Tone
from gui.text.secret_warnings import unsafe_secrets_text
from gui.text.server_row import ServerRow, long_target, present, protection_text
from gui.widgets import fonts
from gui.widgets.banner import Banner, BannerButton
from gui.widgets.buttons import IconButton
from gui.widgets.cards import Card, hline, vline
from gui.widgets.icons import menu_icon
from gui.widgets.labels import ElidedLabel, Pill, Tile, centered
from gui.widgets.layouts import NO_MARGINS, STRETCH, clear, hbox, in_widget, vbox
from gui.widgets.status_mark import StatusMark
from gui.widgets.tab_strip import TabStrip
from gui.widgets.tooltip import set_tooltip
from router.config.secret_detection import UnsafeSecret
from router.config.server import LONGEST_DISCOVERY_S, ServerConfig
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ToolKey
from router.domain.permissions import Permission
from router.domain.receipts import Receipt
from router.domain.servers import PromptResourceLists, ServerState, ServerStatus
from router.domain.tools import ToolView

TOOLS, PROMPTS, RESOURCES, LOGS, CONFIGURATION = range(5)
_LIST, _EMPTY, _UNLISTED = range(3)
_TOOL_LIST_WIDTH = 316


class ServerDetail(Card):
    action_requested = Signal(object, object)
    """The `ServerRef`, and the `Action` of the button that was pressed."""
    remove_requested = Signal(object)
    approve_requested = Signal(object)
    longer_timeout_requested = Signal(object)
    """Each with the `ServerRef`."""
    permission_chosen = Signal(object, object)
    """A `ToolKey` and the `Permission` it is to have."""
    try_requested = Signal(object)
    """The `ToolView` to try."""
    tools_approved = Signal(object, object)
    """The `ServerRef` and the names of the tools."""
    findings_dismissed = Signal(object)
    """The `ToolKey` of a tool whose findings are not to be shown any more."""

    def __init__(self) -> None:
        super().__init__()
        self._status: ServerStatus | None = None
        self._config: ServerConfig | None = None
        self._shown_tools: tuple[ToolView, ...] | None = None
        self._tile = Tile(size=36)
        self._name = ElidedLabel(font=fonts.semibold(15))
        self._state = Pill()
        both_ends = Qt.TextElideMode.ElideMiddle
        small = fonts.ui_font(fonts.SMALL)
        self._target = ElidedLabel(elide=both_ends, font=small, tint="text2")
        self._shown_notice: object = None
        self._notice_place = QWidget()
        self._notices = vbox(margins=(19, 0, 19, 8), parent=self._notice_place)
        self._shown_secrets: object = None
        self._secret_warnings = vbox()
        self.tabs = TabStrip(
            self.tr("Server sections"),
            (
                self.tr("Tools"),
                self.tr("Prompts"),
                self.tr("Resources"),
                self.tr("Logs"),
                self.tr("Configuration"),
            ),
        )
        self._prompts = PromptResourceList(
            self.tr("Prompts"), self.tr("This server offers no prompts.")
        )
        self._resources = PromptResourceList(
            self.tr("Resources"), self.tr("This server offers no resources.")
        )
        self.log = LogView()
        self.tools = ToolList()
        self._tool = ToolDetail()
        self._no_tools = centered(margin=24)
        self._unlisted = UndiscoveredServer()
        self._configuration = ServerConfigView()
        self._pages = QStackedLayout()
        self._tool_pages = QStackedLayout()
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        tools = self._tools_page()
        for page in (tools, self._prompts, self._resources, self.log, self._configuration):
            self._pages.addWidget(page)
        vbox(
            self._header(),
            self._notice_place,
            self._secret_warnings,
            hbox(self.tabs, STRETCH, margins=(19, 0, 12, 0)),
            hline(),
            (self._pages, 1),
            spacing=0,
            margins=(1, 1, 1, 1),
            parent=self,
        )

    def _header(self) -> QWidget:
        refresh = IconButton("rotate-cw", self.tr("Refresh this server’s tools"), icon_size=18)
        refresh.clicked.connect(lambda: self._request(Action.RETRY))
        more = IconButton("ellipsis", self.tr("More"), icon_size=18)
        more.clicked.connect(lambda: self._open_menu(more))
        line = hbox(self._name, self._state, STRETCH, spacing=8)
        titles = vbox(STRETCH, line, self._target, STRETCH, spacing=2)
        parts = (self._tile, (titles, 1), refresh, more)
        header = in_widget(hbox(*parts, spacing=12, margins=(19, 0, 12, 0)))
        header.setFixedHeight(68)
        return header

    def _tools_page(self) -> QWidget:
        self.tools.setMinimumWidth(144)
        self.tools.setMaximumWidth(_TOOL_LIST_WIDTH)
        parts = ((self.tools, 45), vline(), (self._tool, 55))
        both = in_widget(hbox(*parts, spacing=0, margins=NO_MARGINS))
        for tools in (both, self._no_tools, self._unlisted):
            self._tool_pages.addWidget(tools)
        return in_widget(self._tool_pages)

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._pages.setCurrentIndex)
        self.tools.selected.connect(self._show_tool)
        self.tools.permitted.connect(self._permit)
        self._tool.permission_chosen.connect(self.permission_chosen)
        self._tool.approved.connect(self._approve_tool)
        self._tool.dismissed.connect(self.findings_dismissed)
        self._tool.try_requested.connect(self.try_requested)
        self._configuration.edit_requested.connect(lambda: self._request(Action.EDIT))

    def show_server(self, status: ServerStatus, config: ServerConfig) -> None:
        """Show `status`; its tools come with `set_tools`."""
        changed = self._status is None or self._status.ref != status.ref
        shown = present(status)
        self._status = status
        self._tile.set_name(status.name)
        self._name.setText(status.name)
        self._state.show_as(shown.summary, shown.tone)
        self._show_notice(status, config, shown)
        if config != self._config:
            self._config = config
            self._configuration.show_config(config)
        if changed:
            self.tabs.setCurrentIndex(TOOLS)
            self.tools.clear_filter()
        self.show_age()

    def show_age(self) -> None:
        """Update how long ago the tools were listed."""
        if self._status is not None:
            self._target.setText(long_target(self._status, datetime.now(UTC)))
            set_tooltip(self._target, protection_text(self._status))

    def set_tools(self, tools: tuple[ToolView, ...]) -> None:
        if self._status is not None:
            self._show_list_state(self._status, tools)
        if tools == self._shown_tools:
            return
        self._shown_tools = tools
        self.tabs.set_count(TOOLS, len(tools) or None)
        self.tools.set_tools(tools)

    def _show_list_state(self, status: ServerStatus, tools: tuple[ToolView, ...]) -> None:
        """The list, or why it is empty, or an entry in place of an undiscovered one."""
        why = self._why_no_tools(status)
        self._no_tools.setText(why)
        self._unlisted.show_server(status, present(status), why)
        notes = (cuts_text(status.cuts), unread_text(status.unread))
        self.tools.show_footnote(" ".join(filter(None, notes)))
        unlisted = status.tool_count is None
        self._tool_pages.setCurrentIndex(_LIST if tools else _UNLISTED if unlisted else _EMPTY)

    def set_unsafe_secrets(self, secrets: tuple[UnsafeSecret, ...]) -> None:
        """Show which of its secrets are not in the keyring."""
        if self._status is None or (self._status.ref, secrets) == self._shown_secrets:
            return
        self._shown_secrets = (self._status.ref, secrets)
        clear(self._secret_warnings)
        if secrets:
            text, hint = unsafe_secrets_text(secrets, self._status.transport)
            edit = (self.tr("Edit…"), partial(self._request, Action.EDIT))
            self._secret_warnings.addWidget(Banner(text, hint, buttons=[edit]))
        self._secret_warnings.setContentsMargins(19, 0, 19, 8 if secrets else 0)

    def set_receipt(self, receipt: Receipt | None) -> None:
        self._configuration.show_receipt(receipt)

    def set_prompts_and_resources(self, lists: PromptResourceLists) -> None:
        self.tabs.set_count(PROMPTS, len(lists.prompts) or None)
        self.tabs.set_count(RESOURCES, len(lists.resources) or None)
        self._prompts.show_entries(lists.prompts)
        self._resources.show_entries(lists.resources)

    def _why_no_tools(self, status: ServerStatus) -> str:
        if not status.enabled:
            return self.tr("This server is turned off. Its tools are hidden from all apps.")
        if status.tool_count == 0:
            return self.tr("This server offers no tools.")
        return self.tr("Tools appear here after discovery.")

    def _show_tool(self, tool: ToolView | None) -> None:
        self._tool.setVisible(tool is not None)
        if tool is not None:
            self._tool.show_tool(tool)

    def _show_notice(self, status: ServerStatus, config: ServerConfig, shown: ServerRow) -> None:
        subject = (status.ref, status.failure, config, shown)
        if subject == self._shown_notice:
            return  # The user may be about to press one of its buttons.
        self._shown_notice = subject
        clear(self._notices)
        notice: Banner | None = None
        if status.enabled and status.state is ServerState.NEEDS_CONSENT:
            notice = self._consent_notice(config)
        elif shown.needs_attention:
            notice = self._problem_notice(status, config, shown)
        self._notice_place.setVisible(notice is not None)
        if notice is not None:
            self._notices.addWidget(notice)
            notice.show()

    def _consent_notice(self, config: ServerConfig) -> Banner:
        return Banner(
            self.tr("This command needs your approval"),
            "\n".join(consent_lines(config)),
            buttons=[(self.tr("Approve"), lambda: self._emit(self.approve_requested))],
        )

    def _problem_notice(
        self, status: ServerStatus, config: ServerConfig, shown: ServerRow
    ) -> Banner:
        text, hint = shown.detail, ""
        if status.failure is not None:
            text, hint = failure_text(status.failure), failure_hint(status.failure)
        return Banner(
            text,
            hint,
            tone="err" if shown.tone is Tone.ERR else "warn",
            buttons=self._problem_buttons(status, config, shown),
        )

    def _problem_buttons(
        self, status: ServerStatus, config: ServerConfig, shown: ServerRow
    ) -> list[BannerButton]:
        buttons: list[BannerButton] = []
        if status.failure is not None:
            details = f"{advise(status.failure, status.name)}\n{status.target}"
            buttons.append((self.tr("Copy details"), partial(_copy, details)))
            buttons += self._remedies(status.failure, config)
        if shown.remedy is not None:
            buttons.append((shown.remedy.label, partial(self._request, shown.remedy.action)))
        return buttons

    def _remedies(self, failure: Failure, config: ServerConfig) -> list[BannerButton]:
        """Remedies beside the one in its row."""
        command = install_command(failure.subject)
        if failure.kind is FailureKind.COMMAND_NOT_FOUND and command is not None:
            return [(self.tr("Copy install command"), partial(_copy, command))]
        if failure.kind is FailureKind.FILES_NEEDED and failure.share is not None:
            remedy = unconfined_remedy()
            return [(remedy.label, partial(self._request, remedy.action))]
        at_longest = config.discovery_timeout_s >= LONGEST_DISCOVERY_S
        if failure.kind is FailureKind.TIMEOUT and not at_longest:
            return [
                (self.tr("Increase timeout"), lambda: self._emit(self.longer_timeout_requested))
            ]
        return []

    def _permit(self, key: ToolKey, permitted: bool) -> None:
        self.permission_chosen.emit(key, Permission.ALLOW if permitted else Permission.DENY)

    def _approve_tool(self, key: ToolKey) -> None:
        self._emit(self.tools_approved, (key.tool,))

    def _open_menu(self, button: IconButton) -> None:
        menu = QMenu(button)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(menu_icon("pencil"), self.tr("Edit…"), partial(self._request, Action.EDIT))
        menu.addSeparator()
        remove = partial(self._emit, self.remove_requested)
        menu.addAction(menu_icon("trash-2", "err"), self.tr("Remove"), remove)
        menu.popup(button.mapToGlobal(QPoint(button.width() - menu.sizeHint().width(), 34)))

    def _emit(self, signal: SignalInstance, *values: object) -> None:
        if self._status is not None:
            signal.emit(self._status.ref, *values)

    def _request(self, action: Action) -> None:
        self._emit(self.action_requested, action)


class UndiscoveredServer(QWidget):
    """A server whose tools are not discovered yet: one entry `server/*`, with its status."""

    def __init__(self) -> None:
        super().__init__()
        self._mark = StatusMark()
        self._name = ElidedLabel(font=fonts.mono_font())
        self._summary = ElidedLabel(font=fonts.ui_font(fonts.SMALL), tint="text2")
        self._why = centered(margin=24)
        texts = vbox(self._name, self._summary, spacing=2)
        line = hbox(self._mark, (texts, 1), spacing=10)
        left = in_widget(vbox(line, STRETCH, margins=(18, 14, 12, 0)))
        left.setMinimumWidth(152)
        left.setMaximumWidth(_TOOL_LIST_WIDTH)
        hbox((left, 45), vline(), (self._why, 55), spacing=0, margins=NO_MARGINS, parent=self)

    def show_server(self, status: ServerStatus, shown: ServerRow, why: str) -> None:
        self._mark.set_mark(shown.mark)
        self._name.setText(f"{status.id}/*")
        self._summary.setText(shown.summary)
        self._why.setText(why)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
