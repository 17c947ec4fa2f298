"""The Context Optimization page: on or off, tokens saved, strategy, results, pins, exposure."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

import resources
from gui.components.pin_picker import PinPicker, PinsRow, exposure_text
from gui.dialogs.settings.changes import SettingsChanges
from gui.dialogs.settings.cloud_card import CloudCard
from gui.dialogs.settings.page import SettingsPage
from gui.link.commands import Commands
from gui.text import formats
from gui.text.marks import Tone
from gui.text.tr import tr
from gui.widgets import fonts
from gui.widgets.buttons import Segmented, Toggle
from gui.widgets.cards import RadioCard, RowCard
from gui.widgets.labels import Pill, label
from gui.widgets.layouts import hbox, vbox
from gui.widgets.share_bar import ShareBar
from gui.widgets.tooltip import set_tooltip
from router.api.router import RouterPort
from router.domain.ids import WorkspaceId
from router.domain.workspaces import Exposure, Optimization, ProjectSummary


class OptimizationPage(SettingsPage):
    icon_name = "sparkles"

    def __init__(self, router: RouterPort, changes: SettingsChanges, commands: Commands) -> None:
        super().__init__(self.tr("Context Optimization"), router, changes)
        self._strategy = Optimization.HYBRID
        self._times: dict[Optimization, Pill] = {}
        self._add_switch()
        self._cards = self._add_strategies()
        self._cloud = CloudCard(router, changes, commands)
        self.cards.addWidget(self._cloud)
        limits = RowCard()
        self.add_number(
            limits,
            "results_per_search",
            self.tr("Tools per search"),
            100,
            words=self.tr("results, top k, number of hits, limit"),
        )
        self._pins = PinsRow(limits, self._pin_picker)
        self.add_toggle(
            limits,
            "learn_from_use",
            self.tr("Learn from use"),
            words=self.tr("experience, feedback, remember, forget, privacy"),
        )
        self.cards.addWidget(limits)
        self._add_exposure()

    def _pin_picker(self) -> PinPicker:
        workspace = self.router.workspaces.active()
        picker = PinPicker(self.router, workspace, None, self)
        picker.chosen.connect(partial(self.changes.pin, workspace))
        return picker

    def show_state(self) -> None:
        super().show_state()
        workspace, unassigned = self._unassigned()
        optimization = unassigned.optimization
        self._strategy = optimization or self._strategy
        self._toggle.setChecked(optimization is not None)
        for choice, card in self._cards.items():
            card.set_chosen(choice is optimization)
            card.setEnabled(optimization is not None)
        self._show_exposure(unassigned)
        self._cloud.show_state()
        is_set_up = bool(self.router.settings.current().cloud_search_url)
        self._cards[Optimization.CLOUD].set_warning(_cloud_warning(is_set_up=is_set_up))
        self._show_times()
        self._pins.show_pins(self.router.projects.config(workspace, None).pinned)
        self._show_savings(workspace)

    def _show_savings(self, workspace: WorkspaceId) -> None:
        savings = self.router.activity.savings(workspace)
        servers = self.router.servers.list(workspace)
        tools = sum(server.tool_count or 0 for server in servers if server.enabled)
        self._gain.setText(
            self.tr("Apps get a few tools instead of %n tool definitions.", "", tools)
            if self._toggle.isChecked()
            else self.tr("Apps get all %n tool definitions with every request.", "", tools)
        )
        active = (each.name for each in self.router.workspaces.list() if each.active)
        self._workspace.setText(next(active, ""))
        self._before.setText(formats.grouped(savings.full_tokens))
        count = formats.grouped(savings.exposed_tokens)
        self._after.setText(self.tr("{count} tokens").format(count=count))
        full = savings.full_tokens
        self._bar.set_share(savings.exposed_tokens / full if full else 0.0)

    def _add_switch(self) -> None:
        title = self.tr("Send only the tools an app needs")
        self._toggle = Toggle(title, on_click=self._switch)
        card = RowCard()
        self._gain = card.add_row(
            title,
            "",
            self._toggle,
            words=self.tr("tokens, savings, save, context window, meta-tools, tool_discovery"),
        )
        card.add_widget(self._savings_row())
        self.cards.addWidget(card)

    def _savings_row(self) -> QWidget:
        self._workspace = label(font=fonts.medium(fonts.SMALL), tint="text2")
        self._before = label(font=fonts.medium(), tint="text2")
        self._after = label(font=fonts.semibold(), tint="savings")
        self._bar = ShareBar(self.tr("Tokens per request, compared with all definitions"))
        numbers = hbox(
            (self._workspace, 1), self._before, label("→", tint="text2"), self._after, spacing=8
        )
        row = QWidget()
        vbox(numbers, self._bar, spacing=7, margins=(0, 9, 0, 13), parent=row)
        return row

    def _add_strategies(self) -> dict[Optimization, RadioCard]:
        cards = {
            Optimization.BM25: RadioCard(
                self.tr("Keyword (BM25)"),
                self.tr("Matches the words in tool names and descriptions."),
                words=self.tr("strategy, search engine, lexical, full text"),
            ),
            Optimization.HYBRID: RadioCard(
                self.tr("Hybrid"),
                self.tr("Adds a small local model, so “open a ticket” also finds create_issue."),
                words=self.tr(
                    "strategy, search engine, semantic, meaning, embeddings, vectors, AI"
                ),
            ),
            Optimization.CLOUD: RadioCard(
                self.tr("Cloud"),
                self.tr("A hosted model ranks the tools. Best for several hundred similar tools."),
                warning=_cloud_warning(is_set_up=True),
                words=self.tr("strategy, search engine, hosted, online, AI"),
            ),
        }
        for choice, card in cards.items():
            self._badge(card, choice)
        self.add_radio_cards(self.tr("Search strategy"), cards, self._set)
        return cards

    def _add_exposure(self) -> None:
        self._exposure = Segmented(
            self.tr("How apps reach tools"),
            (
                (Exposure.SEARCH, self.tr("Search")),
                (Exposure.PROGRESSIVE, self.tr("Progressive")),
            ),
            on_change=self._expose,
        )
        card = RowCard()
        self._reach = card.add_row(
            self.tr("How apps reach tools"),
            "",
            self._exposure,
            words=self.tr("exposure, progressive disclosure, mode"),
        )
        self._scripts = self.add_toggle(
            card,
            "offer_execute",
            self.tr("Scripts with search"),
            words=self.tr("Lua, code mode, execute, programs"),
        )
        self.cards.addWidget(card)

    def _show_exposure(self, unassigned: ProjectSummary) -> None:
        searching = unassigned.exposure is Exposure.SEARCH
        self._exposure.set_current(unassigned.exposure)
        self._reach.setText(exposure_text(unassigned.exposure))
        self._exposure.setEnabled(unassigned.optimization is not None)
        # Progressive apps always have scripts.
        self._scripts.setEnabled(searching and unassigned.optimization is not None)
        self._scripts.setChecked(self.router.settings.current().offer_execute or not searching)

    def _badge(self, card: RadioCard, choice: Optimization) -> None:
        if choice is Optimization.HYBRID:
            card.add_badge(self.tr("Recommended"), Tone.SOLID)
        if choice is not Optimization.CLOUD:
            card.add_badge(self.tr("Offline"), Tone.OK)
        self._times[choice] = card.add_badge("", Tone.NEUTRAL)
        set_tooltip(self._times[choice], self.tr("How long recent searches took on this computer"))
        if choice is Optimization.HYBRID:
            size = f"{_model_bytes() / 1e6:.0f}\N{NO-BREAK SPACE}MB"
            set_tooltip(card.add_badge(size, Tone.NEUTRAL), self.tr("The size of the local model"))

    def _show_times(self) -> None:
        """Only measured values: a strategy that was never used has none."""
        for choice, badge in self._times.items():
            took = self.router.search.typical_ms(choice)
            badge.setText("" if took is None else formats.duration(took))
            badge.setVisible(took is not None)

    def _switch(self, on: bool) -> None:
        self._set(self._strategy if on else None)

    def _expose(self, exposure: str) -> None:
        workspace, now = self._unassigned()
        self.changes.set_options(workspace, now.optimization, Exposure(exposure))

    def _set(self, choice: Optimization | None) -> None:
        workspace, now = self._unassigned()
        self.changes.set_options(workspace, choice, now.exposure)

    def _unassigned(self) -> tuple[WorkspaceId, ProjectSummary]:
        """The active workspace, and what its clients outside any project have."""
        workspace = self.router.workspaces.active()
        return workspace, self.router.projects.list(workspace)[0]


def _cloud_warning(*, is_set_up: bool) -> str:
    sent = tr("Sends queries and tool descriptions to the provider you choose.")
    missing = tr("Not set up.")
    return sent if is_set_up else f"{sent} {missing}"


def _model_bytes() -> int:
    return sum(each.stat().st_size for each in resources.folder("embeddings").glob("*.npy"))
