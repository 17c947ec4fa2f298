"""How texts outside of a QObject are translated; a QObject has its own `self.tr`.

Texts go into the nameless context because that is where `pyside6-lupdate` files a bare `tr("...")`;
it reads no plural from `QCoreApplication.translate`. Never call this one inside a QObject class:
lupdate would file the text under the class.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def tr(text: str, comment: str = "", n: int = -1) -> str:
    """The translation of `text`; `%n` becomes `n` and selects the plural form."""
    return QCoreApplication.translate("", text, comment, n)
