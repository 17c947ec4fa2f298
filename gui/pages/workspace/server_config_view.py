"""A server's configuration to read: what it runs or where it connects. Names of variables and
headers only, never their values. Below it, what the server tried while its tools were listed."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal

from gui.components.receipts.receipt_text import receipt_fields
from gui.widgets import fonts
from gui.widgets.buttons import secondary_button
from gui.widgets.field_form import FieldForm, FormField
from gui.widgets.labels import label
from gui.widgets.layouts import STRETCH, hbox, vbox
from gui.widgets.scroll_area import ScrollArea
from router.config.secret_detection import masked_address, masked_words
from router.config.server import ServerConfig
from router.domain.receipts import Receipt

_CAPTION_WIDTH = 132


class ServerConfigView(ScrollArea):
    edit_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Configuration"))
        # A path can't be wrapped.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._fields = FieldForm(_CAPTION_WIDTH)
        self._receipt = FieldForm(_CAPTION_WIDTH)
        self._receipt_title = label(self.tr("During the last discovery"), font=fonts.semibold())
        self._shown: Receipt | None = None
        edit = secondary_button(self.tr("Edit…"), "pencil", on_click=self.edit_requested)
        parts = (self._fields, hbox(edit, STRETCH), self._receipt_title, self._receipt, STRETCH)
        self.show_layout(vbox(*parts, spacing=20, margins=(20, 18, 20, 18)))
        self.show_receipt(None)

    def show_config(self, config: ServerConfig) -> None:
        named = self._named_values(config)
        self._fields.show_fields(FormField(caption, text, code=True) for caption, text in named)

    def show_receipt(self, receipt: Receipt | None) -> None:
        for part in (self._receipt_title, self._receipt):
            part.setVisible(receipt is not None)
        if receipt is not None and receipt != self._shown:
            self._receipt.show_fields(receipt_fields(receipt))
        self._shown = receipt

    def _named_values(self, config: ServerConfig) -> Iterator[tuple[str, str]]:
        if config.url:
            yield self.tr("Address"), masked_address(config.url)
            if config.headers:
                yield self.tr("Headers"), "\n".join(sorted(config.headers))
            return
        yield self.tr("Command"), config.command or ""
        if config.args:
            yield self.tr("Arguments"), "\n".join(masked_words(config.args))
        if config.env:
            yield self.tr("Environment"), "\n".join(sorted(config.env))
        if config.cwd:
            yield self.tr("Folder"), config.cwd
