"""Rules for many tools at once: the first that matches decides. Rules with conditions that the form
doesn't offer are shown and keep their conditions; they can be moved and removed."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gui.dialogs.projects.changes import ProjectChanges
from gui.text.marks import Tone
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.buttons import IconButton, Segmented, secondary_button
from gui.widgets.cards import Card, RowCard
from gui.widgets.input_fields import combo_box, line_edit
from gui.widgets.labels import ElidedLabel, Pill, label, wrapped
from gui.widgets.layouts import STRETCH, clear, hbox, row_widget, vbox
from gui.widgets.scroll_area import ScrollColumn
from router.api.router import RouterPort
from router.config.workspace import PermissionRule
from router.domain.ids import ProjectId, WorkspaceId
from router.domain.permissions import Permission

_ANY = "*"
_TONES = {Permission.ALLOW: Tone.OK, Permission.ASK: Tone.WARN, Permission.DENY: Tone.ERR}
_READS, _DESTROYS = "reads", "destroys"


class RulesTab(ScrollColumn):
    def __init__(self, router: RouterPort, workspace: WorkspaceId, changes: ProjectChanges) -> None:
        form, rules = _RuleForm(), vbox()
        super().__init__(form, rules, STRETCH)
        self._router, self._workspace, self._changes = router, workspace, changes
        self._project: ProjectId | None = None
        self._form, self._rules = form, rules
        self._form.add.clicked.connect(self._add)

    def show_project(self, project: ProjectId | None) -> None:
        self._project = project
        self._form.offer_servers(
            [(status.name, status.id) for status in self._router.servers.list(self._workspace)]
        )
        clear(self._rules)
        card = RowCard()
        rules = self._changes.config(project).rules
        for position, rule in enumerate(rules):
            card.add_widget(self._row(position, rule))
        nothing = self.tr("No rules yet. Tools without a rule or setting are allowed.")
        self._rules.addWidget(card if rules else wrapped(nothing))

    def _row(self, position: int, rule: PermissionRule) -> QWidget:
        text = rule_text(rule)
        badge = Pill(permission_text(rule.permission), _TONES[rule.permission])
        badge.setMinimumWidth(64)
        move_up = IconButton(
            "chevron-up", self.tr("Move up"), size=28, on_click=lambda: self._move_up(position)
        )
        remove = IconButton(
            "trash-2",
            self.tr("Remove rule"),
            size=28,
            icon_size=14,
            on_click=lambda: self._remove(position),
        )
        for button in (move_up, remove):
            button.setAccessibleDescription(text)
        up = move_up if position else None
        return row_widget(badge, (ElidedLabel(text), 1), up, remove, margins=(0, 9, 0, 9))

    def _now(self) -> list[PermissionRule]:
        return list(self._changes.config(self._project).rules)

    def _put(self, rules: list[PermissionRule]) -> None:
        self._changes.change(self._project, rules=tuple(rules))

    def _add(self) -> None:
        self._put([*self._now(), self._form.rule()])
        self._form.clear()

    def _remove(self, position: int) -> None:
        rules = self._now()
        del rules[position]
        self._put(rules)

    def _move_up(self, position: int) -> None:
        rules = self._now()
        rules[position - 1 : position + 1] = reversed(rules[position - 1 : position + 1])
        self._put(rules)


class _RuleForm(Card):
    """A new rule: its action, and the tools it is for."""

    def __init__(self) -> None:
        super().__init__()
        self._permission = Segmented(
            self.tr("Rule action"),
            tuple((each, permission_text(each)) for each in Permission),
        )
        self._permission.set_current(Permission.ASK)
        self._server = combo_box(self.tr("Server"))
        self._server.view().setAccessibleName(self.tr("Server"))
        hint = self.tr("All tools, or a pattern: write_*")
        self._tool = line_edit(self.tr("Tools, by name"), hint)
        effects = (
            (self.tr("Any type"), "any"),
            (self.tr("Read-only"), _READS),
            (self.tr("Destructive"), _DESTROYS),
        )
        self._effect = combo_box(self.tr("Tool type"), effects)
        self._effect.view().setAccessibleName(self.tr("Tool type"))
        self.add = secondary_button(self.tr("Add rule"), "plus")
        self._lay_out()

    def offer_servers(self, servers: list[tuple[str, str]]) -> None:
        chosen = self._server.currentData() or _ANY
        self._server.clear()
        self._server.addItem(self.tr("All servers"), _ANY)
        for name, key in servers:
            self._server.addItem(name, key)
        self._server.setCurrentIndex(max(0, self._server.findData(chosen)))

    def rule(self) -> PermissionRule:
        effect = self._effect.currentData()
        pattern = self._tool.text().strip()
        return PermissionRule(
            permission=Permission(self._permission.current() or Permission.ASK),
            server=self._server.currentData() or _ANY,
            # Without it a rule would cover prompts and resources, too.
            tool=pattern or _ANY,
            read_only=True if effect == _READS else None,
            destructive=True if effect == _DESTROYS else None,
        )

    def clear(self) -> None:
        self._tool.clear()

    def _lay_out(self) -> None:
        top = hbox(self._permission, (self._server, 1), (self._effect, 1), spacing=8)
        bottom = hbox((self._tool, 1), self.add, spacing=8)
        vbox(
            label(self.tr("New rule"), font=fonts.medium()),
            top,
            bottom,
            spacing=8,
            margins=(16, 12, 16, 14),
            parent=self,
        )


def permission_text(permission: Permission) -> str:
    return {
        Permission.ALLOW: tr("Allow"),
        Permission.ASK: tr("Ask"),
        Permission.DENY: tr("Block"),
    }[permission]


def rule_text(rule: PermissionRule) -> str:
    """The tools that a rule is for, in one line."""
    server = tr("all servers") if rule.server == _ANY else rule.server
    what = [tr("all tools") if rule.tool in (None, _ANY) else rule.tool or ""]
    if rule.prompt:
        what = [tr("prompts {pattern}").format(pattern=rule.prompt)]
    if rule.resource:
        what = [tr("resources {pattern}").format(pattern=rule.resource)]
    for flag, text, opposite in (
        (rule.read_only, tr("that only read"), tr("that write")),
        (rule.destructive, tr("that are destructive"), tr("that are not destructive")),
        (rule.open_world, tr("that access external systems"), tr("that stay local")),
    ):
        if flag is not None:
            what.append(text if flag else opposite)
    if rule.arguments:
        pairs = ", ".join(f"{path} = {value}" for path, value in rule.arguments.items())
        what.append(tr("with {pairs}").format(pairs=pairs))
    return f"{server} · {' '.join(what)}"
