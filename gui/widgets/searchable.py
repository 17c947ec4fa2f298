"""Finding a setting by the words a person would type for it.

A setting is a widget marked by `searchable`, known by all its texts and by further words for it.
"""

from __future__ import annotations

import unicodedata

from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

_WORDS = "searchedBy"


def searchable(setting: QWidget, words: str = "") -> None:
    """Let `setting` be found; `words` are what people call it and don't read on it."""
    setting.setProperty(_WORDS, words)


def first_found(page: QWidget, title: str, wanted: str) -> QWidget | None:
    """The first setting on `page` that has all the words of `wanted`, `title` counting for each."""
    words = _folded(wanted).split()
    for setting in page.findChildren(QWidget):
        if setting.property(_WORDS) is not None and not setting.isHidden():
            text = _folded(" ".join((title, *_texts(setting))))
            if all(word in text for word in words):
                return setting
    return None


def _folded(text: str) -> str:
    """Without the difference between small and capital, and between wide and narrow letters."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\N{NO-BREAK SPACE}", " ")


def _texts(setting: QWidget) -> list[str]:
    shown = [setting, *setting.findChildren(QWidget)]
    written = [each.text() for each in shown if isinstance(each, QLabel | QAbstractButton)]
    hints = [each.placeholderText() for each in shown if isinstance(each, QLineEdit)]
    named = [each.accessibleName() for each in shown]
    return [str(setting.property(_WORDS)), *written, *hints, *named]
