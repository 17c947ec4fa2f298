"""The Security page: tool approval, isolation during discovery, tool list limits, access."""

from __future__ import annotations

from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.page import SettingsPage, heading
from gui.link.commands import Commands
from gui.text import formats
from gui.text.server_row import protection_words, reason_words
from gui.widgets.buttons import Segmented, Toggle
from gui.widgets.cards import RadioCard, RowCard
from router.api.router import RouterPort
from router.config.base import ConfigModel
from router.domain.receipts import IsolationLevel, Protection
from router.domain.tool_lists import ApprovalPolicy, ListLimits


class SecurityPage(SettingsPage):
    icon_name = "shield-check"

    def __init__(self, router: RouterPort, changes: SettingsChanges, commands: Commands) -> None:
        super().__init__(self.tr("Security"), router, changes)
        self._commands = commands
        self._policies = self._add_policies()
        self._level = Segmented(
            self.tr("Minimum isolation"),
            tuple((str(int(level)), text) for level, text in self._levels()),
        )
        self._level.changed.connect(self._require)
        self._strict = Toggle(self.tr("Strict resource limits"))
        self._strict.clicked.connect(self._be_strict)
        self._limits = Segmented(
            self.tr("Tool list limits"),
            (("default", self.tr("Normal")), ("strict", self.tr("Strict"))),
        )
        self._limits.changed.connect(self._limit)
        self._add_rows()

    def show_state(self) -> None:
        super().show_state()
        settings = self.router.settings.current()
        policy = self.router.tools.approval_policy(self.router.workspaces.active())
        for choice, card in self._policies.items():
            card.set_chosen(choice is policy)
        self._level.set_current(str(settings.isolation.required_level))
        self._strict.setChecked(settings.isolation.strict)
        self._limits.set_current(settings.list_limits.preset)
        self._shown_of_lists.setText(self._limits_text(settings.list_limits.limits()))
        self._commands.run(self, self.router.discovery.protection(), on_done=self._show_protection)

    def _add_policies(self) -> dict[ApprovalPolicy, RadioCard]:
        asked = self.tr("approval policy, approve, review, rug pull, pinning")
        cards = {
            ApprovalPolicy.TRUST: RadioCard(
                self.tr("Trust servers"),
                self.tr("New and changed tools are available immediately."),
                words=asked,
            ),
            ApprovalPolicy.ASK_ON_CHANGE: RadioCard(
                self.tr("Ask when something changes"),
                self.tr(
                    "The first tool list is approved. Tools that are added or changed later need "
                    "approval."
                ),
                words=asked,
            ),
            ApprovalPolicy.ASK_ALWAYS: RadioCard(
                self.tr("Ask for every tool"),
                self.tr("No tool is available until you approve it."),
                words=asked,
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
        isolation.add_row(
            self.tr("Minimum isolation"),
            self.tr("Servers are not started for discovery with less isolation than this."),
            self._level,
            words=self.tr("sandbox, isolation level, bubblewrap, protection, confine"),
        )
        isolation.add_row(
            self.tr("Strict resource limits"),
            self.tr("Discovery is limited to 256 MB and a quarter of a CPU core."),
            self._strict,
            words=self.tr("memory, CPU, sandbox, resources"),
        )
        in_force = self.tr("sandbox, isolation level, self-test, protection")
        self._in_force = isolation.add_row(self.tr("Current protection"), "", words=in_force)
        lists = RowCard()
        self._shown_of_lists = lists.add_row(
            self.tr("Tool list limits"),
            "",
            self._limits,
            words=self.tr("limits, cut, truncate, too many tools"),
        )
        access = RowCard()
        self.add_toggle(
            access,
            "open_endpoint",
            self.tr("Connect without a token"),
            words=self.tr("open endpoint, authentication, password, anonymous, access"),
        )
        self.add_cards(heading(self.tr("During discovery")), isolation)
        self.add_cards(heading(self.tr("Tool lists")), lists)
        self.add_cards(heading(self.tr("Apps")), access)

    def _show_protection(self, found: Protection) -> None:
        """The protection that discovery would have now, as proved by the self-test."""
        names = {**dict(self._levels()), IsolationLevel.NONE: self.tr("None")}
        words = (names[found.level], protection_words(found), *map(reason_words, found.missing))
        self._in_force.setText("\n".join(words))

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

    def _require(self, level: str) -> None:
        self._change("isolation", required_level=int(level))

    def _be_strict(self, strict: bool) -> None:
        self._change("isolation", strict=strict)

    def _limit(self, preset: str) -> None:
        self._change("list_limits", preset=preset)

    def _change(self, field: str, **members: object) -> None:
        """Change these members of the setting `field` and no other."""
        now: ConfigModel = getattr(self.router.settings.current(), field)
        self.changes.setter(field)(now.model_copy(update=members))
