"""The language of the window: as set, else the system's if it is supported, else English.

English needs a file too, for its plural forms. Without a file the texts stay as in the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

LANGUAGES = ("en", "ja")


def language_code(choice: str, system: Sequence[str]) -> str:
    """The language for `choice`; `system` are the system's languages, preferred first (`ja-JP`)."""
    wanted = system if choice == "system" else [choice]
    bases = (name.replace("_", "-").split("-")[0].lower() for name in wanted)
    return next((base for base in bases if base in LANGUAGES), LANGUAGES[0])


class Language:
    """Which translations `app` uses."""

    def __init__(self, app: QCoreApplication) -> None:
        self._app = app
        self._code = ""
        self._installed: list[QTranslator] = []

    def use(self, choice: str) -> bool:
        """Install the language for `choice`; True if it differs from the one before."""
        code = language_code(choice, QLocale.system().uiLanguages())
        if code == self._code:
            return False
        self.forget()
        self._code = code
        qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        self._installed = [
            *self._install(f"qtbase_{code}", qt_folder),
            *self._install(f"toolbooth_{code}", str(files("resources") / "translations")),
        ]
        return True

    def forget(self) -> None:
        """Remove the translations."""
        for translator in self._installed:
            self._app.removeTranslator(translator)
        self._installed = []
        self._code = ""

    def _install(self, name: str, folder: str) -> list[QTranslator]:
        translator = QTranslator()
        if not translator.load(name, folder):
            return []
        self._app.installTranslator(translator)
        return [translator]
