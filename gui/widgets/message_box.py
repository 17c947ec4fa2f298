"""Short questions and messages. They open without blocking; the answer is a callback."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from gui.text.errors import hint_of, message_of
from gui.text.tr import tr
from gui.widgets.icons import icon
from router.domain.errors import ToolboothError

_SIGN = 32


def ask(
    parent: QWidget | None,
    question: str,
    detail: str,
    *,
    yes: str,
    on_yes: Callable[[], object],
) -> QMessageBox:
    """Ask before something that can't be undone; calls `on_yes` if the user agrees."""
    box = _box(parent, icon("circle-question-mark", "accent"), question, detail)
    agree = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
    cancel = box.addButton(tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(cancel)
    box.setEscapeButton(cancel)
    agree.clicked.connect(lambda: on_yes())
    box.open()
    return box


def show_error(parent: QWidget | None, error: ToolboothError) -> QMessageBox:
    """Show an error and its hint."""
    box = _box(parent, icon("triangle-alert", "warn"), message_of(error), hint_of(error))
    copy = box.addButton(tr("Copy details"), QMessageBox.ButtonRole.ActionRole)
    copy.clicked.disconnect()  # It would close the box.
    details = f"{type(error).__name__}: {error.message}\n{error.hint}".strip()
    copy.clicked.connect(lambda: QApplication.clipboard().setText(details))
    box.addButton(tr("Close"), QMessageBox.ButtonRole.RejectRole)
    box.open()
    return box


def _box(parent: QWidget | None, sign: QIcon, text: str, detail: str) -> QMessageBox:
    none = QMessageBox.StandardButton.NoButton
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Toolbooth", text, none, parent)
    box.setIconPixmap(sign.pixmap(QSize(_SIGN, _SIGN)))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setInformativeText(detail)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box
