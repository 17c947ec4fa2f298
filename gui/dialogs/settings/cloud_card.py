"""The cloud search service: its address and key, a test, and what is sent to it."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit
from shiboken6 import Shiboken

from gui.dialogs.settings.changes import SettingsChanges
from gui.link.commands import Commands
from gui.text import formats
from gui.text.errors import error_text, translated
from gui.widgets import fonts
from gui.widgets.buttons import secondary_button
from gui.widgets.cards import PADDING, Card
from gui.widgets.input_fields import line_edit
from gui.widgets.labels import Message, label, wrapped
from gui.widgets.layouts import hbox, vbox
from gui.widgets.searchable import searchable
from router.api.router import RouterPort
from router.domain.errors import ToolboothError
from router.domain.search import SearchTrial
from router.domain.workspaces import Optimization

_QUERY = "open a ticket"


class CloudCard(Card):
    """The key goes into the keyring, where there is one, and is never shown again."""

    def __init__(self, router: RouterPort, changes: SettingsChanges, commands: Commands) -> None:
        super().__init__()
        searchable(self, self.tr("API key, endpoint, provider, privacy, secret"))
        self._router, self._changes, self._commands = router, changes, commands
        address = self.tr("URL of the cloud service")
        self._url = line_edit(address, "https://search.example.com")
        key = self.tr("API key of the cloud service")
        self._key = line_edit(key, self.tr("API key (optional)"))
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._save = secondary_button(self.tr("Save"), on_click=self._save_service)
        self._test = secondary_button(self.tr("Test"), "zap", on_click=self._run_test)
        self._key_note = Message()
        self._result = Message()
        self._url.returnPressed.connect(self._save_service)
        self._key.returnPressed.connect(self._save_service)
        self._lay_out()

    def show_state(self) -> None:
        """What is being typed stays."""
        url = self._router.settings.current().cloud_search_url
        if not self._url.isModified():
            self._url.setText(url)
        self._test.setEnabled(bool(url))
        if self._router.search.is_cloud_token_kept():
            kept = self.tr(
                "The key is stored in the keyring. Without one, it is only kept until "
                "Toolbooth stops."
            )
            self._key_note.show_text(kept, "text2")
        else:
            lost = self.tr("No keyring available: the key is only kept until Toolbooth stops.")
            self._key_note.show_text(lost, "warn")

    def _lay_out(self) -> None:
        fields = hbox((self._url, 3), (self._key, 2), self._save, self._test, spacing=8)
        vbox(
            label(self.tr("Cloud service"), font=fonts.medium()),
            wrapped(
                self.tr(
                    "It receives each search query and the names and descriptions of the "
                    "searched tools, but no arguments or results."
                )
            ),
            self._key_note,
            fields,
            self._result,
            spacing=8,
            margins=(PADDING, 11, PADDING, 13),
            parent=self,
        )

    def _save_service(self) -> None:
        """What is refused stays in the fields, to be corrected."""
        url, key = self._url.text().strip(), self._key.text().strip()
        self._result.show_text("")
        if url != self._router.settings.current().cloud_search_url or key:
            self._changes.set_cloud(url, key or None, self._on_saved)

    def _on_saved(self, _: object) -> None:
        if not Shiboken.isValid(self):  # Replaced after a change of language.
            return
        self._url.setModified(False)
        self._key.clear()
        self.show_state()

    def _run_test(self) -> None:
        """Search there as an app would, with the tools of the workspace that is shown."""
        self._result.show_text(self.tr("Testing…"), "text2")
        searching = self._router.search.try_out(
            self._router.workspaces.active(), None, [_QUERY], strategies=[Optimization.CLOUD]
        )
        self._commands.run(self, searching, on_done=self._show_trial, on_error=self._show_error)

    def _show_trial(self, trials: tuple[SearchTrial, ...]) -> None:
        reply, took = trials[0].reply, formats.duration(trials[0].duration_ms)
        if reply.strategy is Optimization.CLOUD:
            found = self.tr("Connected: %n tools in {time}.", "", len(reply.hits))
            self._result.show_text(found.format(time=took), "ok")
        else:
            failed = self.tr("Test failed: {reason}.").format(reason=translated(reply.note))
            self._result.show_text(failed, "err")

    def _show_error(self, error: ToolboothError) -> None:
        self._result.show_text(error_text(error), "err")
