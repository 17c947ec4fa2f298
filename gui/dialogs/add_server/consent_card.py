"""What the user consents to: the exact command with each argument, or the address; names of
variables and headers, never their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from gui.dialogs.add_server.draft import ServerDraft
from gui.text.secret_warnings import plain_text
from gui.text.server_row import protection_words
from gui.widgets import fonts
from gui.widgets.cards import PADDING, Card
from gui.widgets.labels import label, wrapped
from gui.widgets.layouts import vbox
from router.config.secret_detection import masked_address, masked_words, plain_secrets
from router.domain.receipts import Protection
from router.domain.servers import TransportType

_LINE = 20
"""Captions and values have two fonts: lines of one height keep them aligned."""


class ConsentCard(Card):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = label(font=fonts.semibold())
        self._warning = wrapped("", tint="warn")
        self._allowed = wrapped("")
        self._protection: Protection | None = None
        self._draft = ServerDraft()
        self._facts = QWidget()
        self._column = vbox(
            self._title,
            self._facts,
            self._allowed,
            self._warning,
            spacing=8,
            margins=(PADDING, 12, PADDING, 12),
            parent=self,
        )

    def show_protection(self, protection: Protection) -> None:
        """Show the protection that discovery has on this computer."""
        self._protection = protection
        self._allowed.setText(self._what_it_may())

    def show_draft(self, draft: ServerDraft) -> None:
        self._draft = draft
        stdio = draft.transport is TransportType.STDIO
        self._title.setText(
            self.tr("This will run on your computer with your permissions")
            if stdio
            else self.tr("Toolbooth will connect to this address")
        )
        self._allowed.setText(self._what_it_may())
        warnings = list(self._warnings(draft))
        self._warning.setText("\n".join(warnings))
        self._warning.setVisible(bool(warnings))
        self._replace_facts(list(self._lines(draft)))

    def facts(self) -> list[str]:
        """The values that are shown, in order."""
        shown = self._facts.findChildren(QLabel, "value")
        return [each.text() for each in shown]

    def _what_it_may(self) -> str:
        if self._draft.transport is TransportType.HTTP:
            return self.tr(
                "It receives the data apps send to its tools. Nothing runs on this computer."
            )
        may = self.tr("When called, it runs with your permissions: files, network, programs.")
        if self._protection is None:
            return may
        words = protection_words(self._protection)
        first = self.tr("First its tools are discovered in isolation. {words}")
        return f"{may} {first.format(words=words)}"

    def _warnings(self, draft: ServerDraft) -> Iterator[str]:
        stdio = draft.transport is TransportType.STDIO
        if stdio and (risky := draft.risky_variables()):
            text = self.tr("{names}: controls which programs are loaded. Make sure you want this.")
            yield text.format(names=", ".join(risky))
        secrets = plain_secrets(draft.words()[1:], None) if stdio else plain_secrets((), draft.url)
        if secrets:
            places = tuple(dict.fromkeys(secret.place for secret in secrets))
            yield ". ".join(plain_text(places, draft.transport))

    def _lines(self, draft: ServerDraft) -> Iterator[tuple[str, str]]:
        if draft.transport is TransportType.HTTP:
            yield self.tr("Address"), masked_address(draft.url.strip())
            yield from _numbered(self.tr("Headers"), [name for name, _ in draft.headers])
            return
        command, *arguments = draft.words() or [""]
        yield self.tr("Command"), command
        yield from _numbered(self.tr("Arguments"), masked_words(arguments))
        yield from _numbered(self.tr("Variables"), [name for name, _ in draft.env])
        if draft.cwd.strip():
            yield self.tr("Folder"), draft.cwd.strip()

    def _replace_facts(self, lines: Sequence[tuple[str, str]]) -> None:
        """In a new widget each time: a grid never removes rows."""
        facts = QWidget()
        grid = QGridLayout(facts)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        for row, (caption, value) in enumerate(lines):
            heading = label(caption, font=fonts.ui_font(fonts.SMALL), tint="text3")
            heading.setMinimumHeight(_LINE)
            grid.addWidget(heading, row, 0, top)
            grid.addWidget(_value(value), row, 1, top)
        self._column.replaceWidget(self._facts, facts)
        self._facts.hide()
        self._facts.deleteLater()
        self._facts = facts
        facts.show()


def _numbered(caption: str, values: Sequence[str]) -> Iterator[tuple[str, str]]:
    """One line each, the caption beside the first."""
    for position, value in enumerate(values):
        yield (caption if position == 0 else ""), value


def _value(text: str) -> QLabel:
    made = wrapped(text or "—", "text1", font=fonts.mono_font(), selectable=True)
    made.setObjectName("value")
    made.setMinimumHeight(_LINE)
    return made
