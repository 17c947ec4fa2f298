"""What a person wants of the router, as commands: one method for each wish of the main window.

Removing and switching off are done at once and can be taken back; nothing here asks first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from gui.commands import Commands
from gui.translating import tr
from gui.window.undo_bar import UndoBar
from router.api.apps import FoundServers
from router.api.router import RouterPort
from router.config.server import LONGEST_DISCOVERY_S
from router.domain.errors import ToolboothError
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.receipts import DiscoveryAccess
from router.domain.servers import ServerState, ServerStatus, SignIn
from router.domain.workspaces import Optimization, WorkspaceSummary


class Wishes:
    def __init__(
        self,
        owner: QObject,
        router: RouterPort,
        commands: Commands,
        undo: UndoBar,
        show_error: Callable[[ToolboothError], object],
    ) -> None:
        """`owner` takes its unfinished commands with it when it dies."""
        self._owner = owner
        self._router = router
        self._commands = commands
        self._undo = undo
        self._show_error = show_error

    def refresh_all(self) -> None:
        self._run(self._router.refresh(self._workspace))

    def refresh(self, ref: ServerRef) -> None:
        self._run(self._router.refresh(ref.workspace, ref.server))

    def switch_workspace(self, workspace: WorkspaceId) -> None:
        self._run(self._router.switch_workspace(workspace))

    def create_workspace(self, name: str) -> None:
        """Create it and go there."""
        self._run(self._router.create_workspace(name), self.switch_workspace)

    def rename_workspace(self, workspace: WorkspaceId, name: str) -> None:
        self._run(self._router.rename_workspace(workspace, name))

    def remove_workspace(self, workspace: WorkspaceSummary) -> None:
        """Put it aside; taken back, everything is as it was."""

        def bring_back() -> None:
            def go_there(_: None) -> None:
                if workspace.active:
                    self.switch_workspace(workspace.id)

            self._run(self._router.restore_workspace(workspace.id), go_there)

        def offer_undo(_: None) -> None:
            self._undo.offer(tr("Removed {name}").format(name=workspace.name), bring_back)

        self._run(self._router.remove_workspace(workspace.id), offer_undo)

    def optimize(self, optimization: Optimization | None) -> None:
        """Set it for everyone outside of a project; the exposure stays as it is."""
        workspace = self._workspace
        unassigned = self._router.projects(workspace)[0]
        self._run(
            self._router.set_project_options(
                workspace, None, optimization=optimization, exposure=unassigned.exposure
            )
        )

    def set_enabled(self, status: ServerStatus, enabled: bool) -> None:
        switch = self._router.set_server_enabled

        def offer_undo(_: None) -> None:
            if not enabled:
                text = tr("Switched off {name}").format(name=status.name)
                self._undo.offer(text, lambda: self._run(switch(status.ref, True)))

        self._run(switch(status.ref, enabled), offer_undo)

    def approve(self, ref: ServerRef) -> None:
        self._run(self._router.approve_server(ref))

    def allow_network(self, ref: ServerRef) -> None:
        """Let it have the network and its secrets while its tools are listed."""
        self._run(self._router.allow_discovery(ref, DiscoveryAccess.NETWORK))

    def wait_longer(self, ref: ServerRef) -> None:
        """Give it twice the time to list its tools, as far as that goes, and try again."""
        try:
            config = self._router.server_config(ref)
        except ToolboothError as error:
            self._show_error(error)
            return
        servers = self._router.servers(ref.workspace)
        name = next((status.name for status in servers if status.ref == ref), ref.server)
        longer = min(LONGEST_DISCOVERY_S, 2 * config.discovery_timeout_s)
        patient = config.model_copy(update={"discovery_timeout_s": longer})
        # Agrees to nothing: what is run stays the same, so the person's yes to it holds.
        change = self._router.update_server(ref, name, patient, consent=False)
        self._run(change, lambda _: self.refresh(ref))

    def sign_in(self, ref: ServerRef) -> None:
        """Open the page on which the person signs in; the server's status says how it went."""
        self._run(self._router.begin_sign_in(ref), self._open_page)

    def remove(self, status: ServerStatus) -> None:
        """Remove the server; taken back, it may run again only if it was allowed to before."""
        try:
            config = self._router.server_config(status.ref)
        except ToolboothError as error:
            self._show_error(error)
            return
        # Of one that is switched off nobody can tell whether it was: it is asked for again.
        consent = status.enabled and status.state is not ServerState.NEEDS_CONSENT

        def add_again() -> None:
            add = self._router.add_server
            self._run(add(status.workspace, status.name, config, consent=consent))

        def offer_undo(_: None) -> None:
            self._undo.offer(tr("Removed {name}").format(name=status.name), add_again)

        self._run(self._router.remove_server(status.ref), offer_undo)

    def approve_tools(self, ref: ServerRef, tools: Collection[str] | None) -> None:
        self._run(self._router.approve_tools(ref, tools))

    def permit(self, key: ToolKey, permission: Permission) -> None:
        self._run(self._router.set_permission(self._workspace, key, permission))

    def hide_tool(self, key: ToolKey) -> None:
        self._block(self._workspace, key, tr("Nobody finds {tool} any more"))

    def block_tool(self, ref: ServerRef, tool: str) -> None:
        """Of a tool that waits to be approved: decide that nobody gets it."""
        self._block(ref.workspace, ToolKey(ref.server, tool), tr("Blocked {tool}"))

    def _block(self, workspace: WorkspaceId, key: ToolKey, text: str) -> None:
        """Block it everywhere in the workspace; taken back, it is asked for if it was before."""
        put = self._router.set_permission
        try:
            views = self._router.tools(ServerRef(workspace, key.server))
        except ToolboothError as error:
            self._show_error(error)
            return
        before = next((t.permission for t in views if t.key == key), Permission.ALLOW)

        def offer_undo(_: None) -> None:
            self._undo.offer(
                text.format(tool=key.shown),
                lambda: self._run(put(workspace, key, before)),
            )

        self._run(put(workspace, key, Permission.DENY), offer_undo)

    def pin_tool(self, key: ToolKey, pinned: bool) -> None:
        """Let every app have it without a search, or no longer; that can be taken back."""
        workspace, projects = self._workspace, self._router.project_configs
        before = projects.config(workspace, None)
        others = [each for each in before.pinned if each != str(key)]
        pins = tuple([*others, str(key)] if pinned else others)
        text = tr("Every app gets {tool} now") if pinned else tr("{tool} is no longer pinned")

        def offer_undo(_: None) -> None:
            self._undo.offer(
                text.format(tool=key.shown),
                lambda: self._run(projects.put(workspace, None, before)),
            )

        after = before.model_copy(update={"pinned": pins})
        self._run(projects.put(workspace, None, after), offer_undo)

    def read_file(self, path: Path, show: Callable[[FoundServers], object]) -> None:
        """Read the servers of a file that was named or dropped."""
        self._run(self._router.apps.read_file(path), show)

    def _open_page(self, sign_in: SignIn) -> None:
        """In the browser, and only what is a web page: the address comes from elsewhere."""
        page = QUrl(sign_in.authorization_url, QUrl.ParsingMode.StrictMode)
        is_page = page.isValid() and page.scheme() in ("https", "http") and page.host()
        if is_page and QDesktopServices.openUrl(page):
            return
        self._show_error(
            ToolboothError(
                tr("The page to sign in on could not be opened."),
                tr("Try it in a terminal: toolbooth sign-in"),
            )
        )

    @property
    def _workspace(self) -> WorkspaceId:
        return self._router.active_workspace()

    def _run(
        self,
        command: Coroutine[Any, Any, Any],
        on_done: Callable[[Any], object] | None = None,
    ) -> None:
        self._commands.run(self._owner, command, on_done=on_done, on_error=self._show_error)
