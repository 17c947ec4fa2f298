"""The Security page: tool approval, isolation during discovery, tool list limits, access."""

from __future__ import annotations

from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.page import SettingsPage, heading
from gui.link.commands import Commands
from gui.text import formats
from gui.text.server_row import protection_words, reason_words
from gui.widgets.cards import RadioCard, RowCard
from router.api.router import RouterPort
from router.domain.receipts import IsolationLevel, Protection
from router.domain.tool_lists import ApprovalPolicy, ListLimits


class SecurityPage(SettingsPage):
    icon_name = "shield-check"

    def __init__(self, router: RouterPort, changes: SettingsChanges, commands: Commands) -> None:
        super().__init__(self.tr("Security"), router, changes)
        self._commands = commands
        self._policies = self._add_policies()
        self._add_rows()

    def show_state(self) -> None:
        super().show_state()
        policy = self.router.tools.approval_policy(self.router.workspaces.active())
        for choice, card in self._policies.items():
            card.set_chosen(choice is policy)
        limits = self.router.settings.current().list_limits.limits()
        self._limits.setText(self._limits_text(limits))
        self._commands.run(self, self.router.discovery.protection(), on_done=self._show_protection)

    def _add_policies(self) -> dict[ApprovalPolicy, RadioCard]:
        words = self.tr("approval policy, approve, review, rug pull, pinning")
        cards = {
            ApprovalPolicy.TRUST: RadioCard(
                self.tr("Trust servers"),
                self.tr("New and changed tools are available immediately."),
                words=words,
            ),
            ApprovalPolicy.ASK_ON_CHANGE: RadioCard(
                self.tr("Ask when something changes"),
                self.tr(
                    "The first tool list is approved. Tools that are added or changed later need "
                    "approval."
                ),
                words=words,
            ),
            ApprovalPolicy.ASK_ALWAYS: RadioCard(
                self.tr("Ask for every tool"),
                self.tr("No tool is available until you approve it."),
                words=words,
            ),
        }
        self.add_radio_cards(self.tr("Tool approval in this workspace"), cards, self._choose)
        return cards

    def _levels(self) -> tuple[tuple[IsolationLevel, str], ...]:
        return (
            (IsolationLevel.NONE, self.tr("Any")),
            (IsolationLevel.LIMITED, self.tr("Limited")),
            (IsolationLevel.CONFINED, self.tr("Confined")),
            (IsolationLevel.FULL, self.tr("Full")),
        )

    def _add_rows(self) -> None:
        isolation = RowCard()
        self.add_choice(
            isolation,
            "isolation.required_level",
            self.tr("Minimum isolation"),
            tuple((str(int(level)), text) for level, text in self._levels()),
            self.tr("Discovery doesn’t start servers with less isolation than this."),
            words=self.tr("sandbox, isolation level, bubblewrap, protection, confine"),
        )
        self.add_toggle(
            isolation,
            "isolation.strict",
            self.tr("Strict resource limits"),
            self.tr("Discovery is limited to 256 MB and a quarter of a CPU core."),
            words=self.tr("memory, CPU, sandbox, resources"),
        )
        sandbox = self.tr("sandbox, isolation level, self-test, protection")
        self._protection = isolation.add_row(self.tr("Current protection"), "", words=sandbox)
        lists = RowCard()
        self._limits = self.add_choice(
            lists,
            "list_limits.preset",
            self.tr("Tool list limits"),
            (("default", self.tr("Normal")), ("strict", self.tr("Strict"))),
            words=self.tr("limits, cut, truncate, too many tools"),
        )
        access = RowCard()
        self.add_toggle(
            access,
            "open_endpoint",
            self.tr("Connect without a token"),
            words=self.tr("open endpoint, authentication, password, anonymous, access"),
        )
        terminal = RowCard()
        self.add_toggle(
            terminal,
            "confirm_commands",
            self.tr("Confirm commands that approve"),
            self.tr(
                "A person confirms each terminal command that approves something or loosens a "
                "permission. Without this, any program that runs commands as you can do that."
            ),
            words=self.tr("terminal, shell scripts, approve, permission, agents, confirmation"),
        )
        self.add_cards(heading(self.tr("During discovery")), isolation)
        self.add_cards(heading(self.tr("Tool lists")), lists)
        self.add_cards(heading(self.tr("Apps")), access)
        self.add_cards(heading(self.tr("Terminal")), terminal)

    def _show_protection(self, found: Protection) -> None:
        """The protection that discovery would have now, as proved by the self-test."""
        names = {**dict(self._levels()), IsolationLevel.NONE: self.tr("None")}
        words = (names[found.level], protection_words(found), *map(reason_words, found.missing))
        self._protection.setText("\n".join(words))

    def _limits_text(self, limits: ListLimits) -> str:
        text = self.tr(
            "At most {tools} tools per server, {characters} characters per description and "
            "{size} KB per schema. What was removed is shown below the list."
        )
        return text.format(
            tools=formats.grouped(limits.tools),
            characters=formats.grouped(limits.description_characters),
            size=limits.schema_bytes // 1024,
        )

    def _choose(self, policy: ApprovalPolicy) -> None:
        self.changes.set_approval_policy(self.router.workspaces.active(), policy)
