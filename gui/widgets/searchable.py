"""Search for a setting by its texts and synonyms.

A setting is a widget marked by `searchable`.
"""

from __future__ import annotations

import unicodedata

from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

_WORDS = "searchedBy"


def searchable(setting: QWidget, words: str = "") -> None:
    """Mark `setting`; `words` are synonyms that it does not show."""
    setting.setProperty(_WORDS, words)


def first_found(page: QWidget, title: str, wanted: str) -> QWidget | None:
    """The first setting on `page` with all the words of `wanted`; `title` counts for each."""
    words = _folded(wanted).split()
    for setting in page.findChildren(QWidget):
        if setting.property(_WORDS) is not None and not setting.isHidden():
            text = _folded(" ".join((title, *_texts(setting))))
            if all(word in text for word in words):
                return setting
    return None


def _folded(text: str) -> str:
    """Case-folded and width-normalised."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\N{NO-BREAK SPACE}", " ")


def _texts(setting: QWidget) -> list[str]:
    shown = [setting, *setting.findChildren(QWidget)]
    written = [each.text() for each in shown if isinstance(each, QLabel | QAbstractButton)]
    hints = [each.placeholderText() for each in shown if isinstance(each, QLineEdit)]
    named = [each.accessibleName() for each in shown]
    return [str(setting.property(_WORDS)), *written, *hints, *named]
