"""The Security page: when to ask about tools, how well servers are walled in, how much of their
lists is shown, who may connect."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.page import SettingsPage, description, heading
from gui.link.commands import Commands
from gui.text import formats
from gui.text.presentation import protection_words, reason_words
from gui.widgets.buttons import Segmented, Toggle
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
        self._level = Segmented(
            self.tr("Least isolation"),
            tuple((str(int(level)), text) for level, text in self._levels()),
        )
        self._level.changed.connect(self._require)
        self._strict = Toggle(self.tr("Strict limits"))
        self._strict.clicked.connect(self._be_strict)
        self._limits = Segmented(
            self.tr("How much of a list is shown"),
            (("default", self.tr("As usual")), ("strict", self.tr("Little"))),
        )
        self._limits.changed.connect(self._limit)
        self._open = Toggle(self.tr("Connect without a token"))
        self._open.clicked.connect(changes.setter("open_endpoint"))
        self._add_rows()

    def show_state(self) -> None:
        settings = self.router.settings.current()
        policy = self.router.tools.approval_policy(self.router.workspaces.active())
        for choice, card in self._policies.items():
            card.set_chosen(choice is policy)
        self._level.set_current(str(settings.isolation.required_level))
        self._strict.setChecked(settings.isolation.strict)
        self._open.setChecked(settings.open_endpoint)
        self._limits.set_current(settings.list_limits.preset)
        self._shown_of_lists.setText(self._limits_text(settings.list_limits.limits()))
        self._commands.run(self, self.router.discovery.protection(), on_done=self._show_protection)

    def _add_policies(self) -> dict[ApprovalPolicy, RadioCard]:
        asked = self.tr("approval policy, approve, review, rug pull, pinning")
        cards = {
            ApprovalPolicy.TRUST: RadioCard(
                self.tr("Trust servers"),
                self.tr("New and changed tools are used at once."),
                words=asked,
            ),
            ApprovalPolicy.ASK_ON_CHANGE: RadioCard(
                self.tr("Ask when something changes"),
                self.tr("The first list counts as approved; what comes or changes later waits."),
                words=asked,
            ),
            ApprovalPolicy.ASK_ALWAYS: RadioCard(
                self.tr("Ask about every tool"),
                self.tr("Nothing is used before you have seen it."),
                words=asked,
            ),
        }
        group = QVBoxLayout()
        group.setSpacing(8)
        group.addWidget(heading(self.tr("Tools of this workspace")))
        for policy, card in cards.items():
            card.chosen.connect(lambda policy=policy: self._choose(policy))
            group.addWidget(card)
        self.column.addLayout(group)
        return cards

    def _levels(self) -> tuple[tuple[IsolationLevel, str], ...]:
        return (
            (IsolationLevel.NONE, self.tr("Any")),
            (IsolationLevel.LIMITED, self.tr("Limited")),
            (IsolationLevel.CONFINED, self.tr("Confined")),
            (IsolationLevel.FULL, self.tr("Full")),
        )

    def _add_rows(self) -> None:
        walls = RowCard()
        walls.add_row(
            self.tr("Least isolation"),
            self.tr("With less than this, no server is started to learn its tools."),
            self._level,
            words=self.tr("sandbox, isolation level, bubblewrap, protection, confine"),
        )
        walls.add_row(
            self.tr("Strict limits"),
            self.tr("Learning gets 256 MB and a quarter of a core."),
            self._strict,
            words=self.tr("memory, CPU, sandbox, resources"),
        )
        in_force = self.tr("sandbox, isolation level, self-test, protection")
        self._in_force = walls.add_row(self.tr("In force here"), "", words=in_force)
        lists = RowCard()
        self._shown_of_lists = lists.add_row(
            self.tr("How much of a list is shown"),
            "",
            self._limits,
            words=self.tr("limits, cut, truncate, too many tools"),
        )
        access = RowCard()
        access.add_row(
            self.tr("Connect without a token"),
            description("open_endpoint"),
            self._open,
            words=self.tr("open endpoint, authentication, password, anonymous, access"),
        )
        self.column.addWidget(heading(self.tr("While tools are learnt")))
        self.column.addWidget(walls)
        self.column.addWidget(heading(self.tr("Lists of servers")))
        self.column.addWidget(lists)
        self.column.addWidget(heading(self.tr("Apps")))
        self.column.addWidget(access)

    def _show_protection(self, found: Protection) -> None:
        """The protection that discovery would have now, as proved by the self-test."""
        names = {**dict(self._levels()), IsolationLevel.NONE: self.tr("None")}
        words = (names[found.level], protection_words(found), *map(reason_words, found.missing))
        self._in_force.setText("\n".join(words))

    def _limits_text(self, limits: ListLimits) -> str:
        text = self.tr(
            "At most {tools} tools of a server, {characters} characters of a description and"
            " {size} KB of a schema. What is left out is said under the list."
        )
        return text.format(
            tools=formats.grouped(limits.tools),
            characters=formats.grouped(limits.description_characters),
            size=limits.schema_bytes // 1024,
        )

    def _choose(self, policy: ApprovalPolicy) -> None:
        self.changes.set_approval_policy(self.router.workspaces.active(), policy)

    def _require(self, level: str) -> None:
        now = self.router.settings.current().isolation
        change = now.model_copy(update={"required_level": int(level)})
        self.changes.setter("isolation")(change)

    def _limit(self, preset: str) -> None:
        now = self.router.settings.current().list_limits
        self.changes.setter("list_limits")(now.model_copy(update={"preset": preset}))

    def _be_strict(self, strict: bool) -> None:
        now = self.router.settings.current().isolation
        self.changes.setter("isolation")(now.model_copy(update={"strict": strict}))
