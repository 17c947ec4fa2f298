"""The user's actions in the main window, as commands to the router: one method for each.

Removing and disabling take effect at once and can be undone; nothing here asks first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

from gui.link.commands import Commands
from gui.text.tr import tr
from router.api.apps import FoundServers
from router.api.router import RouterPort
from router.config.server import LONGEST_DISCOVERY_S
from router.domain.errors import ToolboothError
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.permissions import Permission
from router.domain.receipts import DiscoveryAccess, SharedPath
from router.domain.servers import ServerState, ServerStatus, SignIn
from router.domain.workspaces import Optimization, WorkspaceSummary

OfferUndo = Callable[[str, Callable[[], object]], object]
"""Shows what was done, and calls back to undo it."""


class Actions:
    def __init__(
        self,
        owner: QObject,
        router: RouterPort,
        commands: Commands,
        offer_undo: OfferUndo,
        show_error: Callable[[ToolboothError], object],
    ) -> None:
        """A destroyed `owner` cancels its unfinished commands."""
        self._owner = owner
        self._router = router
        self._commands = commands
        self._offer_undo = offer_undo
        self._show_error = show_error

    def refresh_all(self) -> None:
        self._run(self._router.discovery.refresh(self._workspace))

    def refresh(self, ref: ServerRef, *, packages: bool = False) -> None:
        refresh = self._router.discovery.refresh(ref.workspace, ref.server, packages=packages)
        self._run(refresh)

    def switch_workspace(self, workspace: WorkspaceId) -> None:
        self._run(self._router.workspaces.switch(workspace))

    def create_workspace(self, name: str) -> None:
        """Create it and switch to it."""
        self._run(self._router.workspaces.create(name), self.switch_workspace)

    def rename_workspace(self, workspace: WorkspaceId, name: str) -> None:
        self._run(self._router.workspaces.rename(workspace, name))

    def remove_workspace(self, workspace: WorkspaceSummary) -> None:
        """Remove it; undo restores everything."""

        def restore() -> None:
            def switch_back(_: None) -> None:
                if workspace.active:
                    self.switch_workspace(workspace.id)

            self._run(self._router.workspaces.restore(workspace.id), switch_back)

        text = tr("Removed {name}").format(name=workspace.name)
        self._run_undoable(self._router.workspaces.remove(workspace.id), text, restore)

    def optimize(self, optimization: Optimization | None) -> None:
        """Set it for all clients outside a project; the exposure stays as it is."""
        workspace = self._workspace
        unassigned = self._router.projects.list(workspace)[0]
        self._run(
            self._router.projects.set_options(
                workspace, None, optimization=optimization, exposure=unassigned.exposure
            )
        )

    def set_enabled(self, status: ServerStatus, enabled: bool) -> None:
        command = self._router.servers.set_enabled(status.ref, enabled)
        if enabled:
            self._run(command)
        else:
            text = tr("Turned off {name}").format(name=status.name)
            self._run_undoable(command, text, lambda: self.set_enabled(status, True))

    def grant_consent(self, ref: ServerRef) -> None:
        self._run(self._router.servers.grant_consent(ref))

    def allow_network(self, ref: ServerRef) -> None:
        """Allow it the network and its secrets during discovery."""
        self._run(self._router.discovery.allow(ref, DiscoveryAccess.NETWORK))

    def share_files(self, ref: ServerRef, shared: SharedPath) -> None:
        """Share a file or folder with it during discovery."""
        self._run(self._router.discovery.share(ref, (shared,)))

    def discover_unconfined(self, ref: ServerRef) -> None:
        """Discover its tools without a sandbox, as it runs in normal use."""
        self._run(self._router.discovery.allow(ref, DiscoveryAccess.UNCONFINED))

    def double_timeout(self, ref: ServerRef) -> None:
        """Double its discovery timeout, up to the maximum, and discover its tools again."""
        with self._errors_shown():
            config = self._router.servers.config(ref)
            servers = self._router.servers.list(ref.workspace)
            name = next((status.name for status in servers if status.ref == ref), ref.server)
            longer = min(LONGEST_DISCOVERY_S, 2 * config.discovery_timeout_s)
            changed = config.model_copy(update={"discovery_timeout_s": longer})
            # No new consent: the command stays the same, so the one that was given holds.
            change = self._router.servers.update(ref, name, changed, consent=False)
            self._run(change, lambda _: self.refresh(ref))

    def sign_in(self, ref: ServerRef) -> None:
        """Open the sign-in page; the server's status shows the outcome."""
        self._run(self._router.sign_ins.begin(ref), self._open_page)

    def remove(self, status: ServerStatus) -> None:
        """Remove the server; after an undo it may run only if it was allowed to before."""
        add, remove = self._router.servers.add, self._router.servers.remove
        # Unknown for a disabled server: consent is asked for again.
        consent = status.enabled and status.state is not ServerState.NEEDS_CONSENT
        with self._errors_shown():
            config = self._router.servers.config(status.ref)
            self._run_undoable(
                remove(status.ref),
                tr("Removed {name}").format(name=status.name),
                lambda: self._run(add(status.workspace, status.name, config, consent=consent)),
            )

    def approve_tools(self, ref: ServerRef, tools: Collection[str] | None) -> None:
        self._run(self._router.tools.approve(ref, tools))

    def dismiss_findings(self, key: ToolKey) -> None:
        """Dismiss what was found in a tool of the shown workspace, until its definition changes."""
        self._run(self._router.tools.dismiss(ServerRef(self._workspace, key.server), (key.tool,)))

    def permit(self, key: ToolKey, permission: Permission) -> None:
        self._run(self._router.permissions.set(self._workspace, key, permission))

    def block_tool(self, key: ToolKey, workspace: WorkspaceId | None = None) -> None:
        """Block it in the whole workspace (None: the shown one); undo restores the permission it
        had."""
        workspace = workspace or self._workspace
        put = self._router.permissions.set
        with self._errors_shown():
            views = self._router.tools.list(ServerRef(workspace, key.server))
            before = next((t.permission for t in views if t.key == key), Permission.ALLOW)
            self._run_undoable(
                put(workspace, key, Permission.DENY),
                tr("Blocked {tool}").format(tool=key.shown),
                lambda: self._run(put(workspace, key, before)),
            )

    def pin_tool(self, key: ToolKey, pinned: bool) -> None:
        """Pin or unpin it for every app; can be undone."""
        workspace, projects = self._workspace, self._router.projects
        before = projects.config(workspace, None)
        others = [each for each in before.pinned if each != str(key)]
        pins = tuple([*others, str(key)] if pinned else others)
        text = tr("Pinned {tool} for all apps") if pinned else tr("Unpinned {tool}")
        after = before.model_copy(update={"pinned": pins})
        self._run_undoable(
            projects.put(workspace, None, after),
            text.format(tool=key.shown),
            lambda: self._run(projects.put(workspace, None, before)),
        )

    def read_file(self, path: Path, show: Callable[[FoundServers], object]) -> None:
        """Read the servers in a chosen or dropped file."""
        self._run(self._router.apps.read_file(path), show)

    def _open_page(self, sign_in: SignIn) -> None:
        """In the browser, and only an HTTP address: it comes from the server."""
        page = QUrl(sign_in.authorization_url, QUrl.ParsingMode.StrictMode)
        is_page = page.isValid() and page.scheme() in ("https", "http") and page.host()
        if is_page and QDesktopServices.openUrl(page):
            return
        self._show_error(
            ToolboothError(
                tr("Couldn’t open the sign-in page."),
                tr("Sign in from a terminal with: toolbooth sign-in"),
            )
        )

    @property
    def _workspace(self) -> WorkspaceId:
        return self._router.workspaces.active()

    @contextmanager
    def _errors_shown(self) -> Generator[None]:
        """Show the error of a query, for example about a server that was just removed."""
        try:
            yield
        except ToolboothError as error:
            self._show_error(error)

    def _run_undoable(
        self, command: Coroutine[Any, Any, Any], text: str, undo: Callable[[], object]
    ) -> None:
        """Once it is done, show `text` and offer to undo it."""
        self._run(command, lambda _: self._offer_undo(text, undo))

    def _run(
        self,
        command: Coroutine[Any, Any, Any],
        on_done: Callable[[Any], object] | None = None,
    ) -> None:
        self._commands.run(self._owner, command, on_done=on_done, on_error=self._show_error)
