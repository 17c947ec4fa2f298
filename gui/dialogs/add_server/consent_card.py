"""What the user consents to: the exact command with each argument, or the URL; names of
variables and headers, never their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtWidgets import QWidget

from gui.dialogs.add_server.draft import ServerDraft
from gui.text.secret_warnings import plain_text
from gui.text.server_row import protection_words
from gui.widgets import fonts
from gui.widgets.cards import PADDING, Card
from gui.widgets.field_form import FieldForm, FormField
from gui.widgets.labels import Message, label, wrapped
from gui.widgets.layouts import vbox
from router.config.secret_detection import masked_address, masked_words, plain_secrets
from router.domain.receipts import Protection
from router.domain.servers import TransportType


class ConsentCard(Card):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = label(font=fonts.semibold())
        self._warning = Message("warn")
        self._allowed = wrapped("")
        self._protection: Protection | None = None
        self._draft = ServerDraft()
        self._facts = FieldForm(compact=True)
        vbox(
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
            else self.tr("Toolbooth will connect to this URL")
        )
        self._allowed.setText(self._what_it_may())
        self._warning.show_text("\n".join(self._warnings(draft)))
        self._facts.show_fields(
            FormField(caption, value or "—", code=True) for caption, value in self._lines(draft)
        )

    def facts(self) -> list[str]:
        """The values that are shown, in order."""
        return self._facts.values()

    def _what_it_may(self) -> str:
        if self._draft.transport is TransportType.HTTP:
            return self.tr(
                "It receives the data apps send to its tools. Nothing runs on this computer."
            )
        may = self.tr("When called, it runs with your permissions: files, network, programs.")
        if self._protection is None:
            return may
        words = protection_words(self._protection)
        first = self.tr("Its tools are first discovered in isolation. {words}")
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
            yield self.tr("URL"), masked_address(draft.url.strip())
            yield from _numbered(self.tr("Headers"), [name for name, _ in draft.headers])
            return
        command, *arguments = draft.words() or [""]
        yield self.tr("Command"), command
        yield from _numbered(self.tr("Arguments"), masked_words(arguments))
        yield from _numbered(self.tr("Variables"), [name for name, _ in draft.env])
        if draft.cwd.strip():
            yield self.tr("Folder"), draft.cwd.strip()


def _numbered(caption: str, values: Sequence[str]) -> Iterator[tuple[str, str]]:
    """One line each, the caption beside the first."""
    for position, value in enumerate(values):
        yield (caption if position == 0 else ""), value
