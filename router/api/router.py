"""The router as the window, the tray and the command line see it: one facet per subject.

Each facet is a small Protocol with one production class in `router.service` and one typed fake in
`tests/support`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from router.api.activity import ActivityPort
from router.api.apps import AppsPort
from router.api.confirmations import ConfirmationsPort
from router.api.discovery import DiscoveryPort
from router.api.endpoint import EndpointPort
from router.api.events import Event
from router.api.permissions import PermissionsPort
from router.api.projects import ProjectsPort
from router.api.scripts import ScriptsPort
from router.api.search import SearchPort
from router.api.servers import ServersPort
from router.api.settings import SettingsPort
from router.api.sign_ins import SignInsPort
from router.api.tokens import TokensPort
from router.api.tools import ToolsPort
from router.api.workspaces import WorkspacesPort


class RouterPort(Protocol):
    """Queries are synchronous, answer from immutable snapshots and may be called on any thread.
    Commands are coroutines that run on the router's loop and raise `ToolboothError`."""

    @property
    def activity(self) -> ActivityPort: ...
    @property
    def apps(self) -> AppsPort: ...
    @property
    def confirmations(self) -> ConfirmationsPort: ...
    @property
    def discovery(self) -> DiscoveryPort: ...
    @property
    def endpoint(self) -> EndpointPort: ...
    @property
    def permissions(self) -> PermissionsPort: ...
    @property
    def projects(self) -> ProjectsPort: ...
    @property
    def scripts(self) -> ScriptsPort: ...
    @property
    def search(self) -> SearchPort: ...
    @property
    def servers(self) -> ServersPort: ...
    @property
    def settings(self) -> SettingsPort: ...
    @property
    def sign_ins(self) -> SignInsPort: ...
    @property
    def tokens(self) -> TokensPort: ...
    @property
    def tools(self) -> ToolsPort: ...
    @property
    def workspaces(self) -> WorkspacesPort: ...

    def subscribe(self, consumer: Callable[[Event], None]) -> Callable[[], None]:
        """Call `consumer` for each event, on the router's thread; returns how to unsubscribe."""
        ...

    def request_window(self, words: Sequence[str]) -> bool:
        """Bring the window to the front for a start with these words of the command line; False if
        there is no window."""
        ...
