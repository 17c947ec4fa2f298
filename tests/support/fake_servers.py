"""Typed fakes of the facets about servers: configuration, sign-in and discovery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from router.config.secret_detection import UnsafeSecret
from router.config.server import ServerConfig
from router.domain.errors import NotFound
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.names import slug
from router.domain.receipts import (
    DiscoveryAccess,
    IsolationLevel,
    Protection,
    Receipt,
    SharedPath,
)
from router.domain.servers import LogLine, PromptResourceLists, ServerStatus, SignIn
from tests.support.fake_state import FakeContext


class FakeServers:
    """`ServersPort` that answers from the state."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self._record = context.record

    def list(self, workspace: WorkspaceId) -> tuple[ServerStatus, ...]:
        return self._state.servers.get(workspace, ())

    def find(self, workspace: WorkspaceId, text: str) -> ServerRef:
        for status in self.list(workspace):
            if text in (status.id, status.name):
                return status.ref
        raise NotFound(f"There is no server {text}.")

    def config(self, ref: ServerRef) -> ServerConfig:
        if ref not in self._state.configs:
            raise NotFound(f"There is no server {ref.server}.")
        return self._state.configs[ref]

    def prompts_and_resources(self, ref: ServerRef) -> PromptResourceLists:
        return self._state.prompts_and_resources.get(ref, PromptResourceLists())

    def log(self, ref: ServerRef) -> tuple[LogLine, ...]:
        return self._state.logs.get(ref, ())

    def unsafe_secrets(self, ref: ServerRef) -> tuple[UnsafeSecret, ...]:
        return self._state.unsafe_secrets.get(ref, ())

    async def add(
        self, workspace: WorkspaceId, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        self._record("servers.add", workspace, name, config, consent)
        return ServerId(slug(name))

    async def add_imported(
        self, workspace: WorkspaceId, servers: Mapping[str, ServerConfig]
    ) -> tuple[ServerId, ...]:
        self._record("servers.add_imported", workspace, dict(servers))
        return tuple(ServerId(slug(name)) for name in servers)

    async def update(
        self, ref: ServerRef, name: str, config: ServerConfig, *, consent: bool
    ) -> ServerId:
        self._record("servers.update", ref, name, config, consent)
        return ServerId(slug(name))

    async def remove(self, ref: ServerRef) -> None:
        self._record("servers.remove", ref)

    async def set_enabled(self, ref: ServerRef, enabled: bool) -> None:
        self._record("servers.set_enabled", ref, enabled)

    async def allow_folder(self, ref: ServerRef, folder: str) -> None:
        self._record("servers.allow_folder", ref, folder)

    async def grant_consent(self, ref: ServerRef) -> None:
        self._record("servers.grant_consent", ref)

    async def measure(self) -> None:
        self._record("servers.measure")


class FakeSignIns:
    """`SignInsPort` that begins every sign-in with the one of the state."""

    def __init__(self, context: FakeContext) -> None:
        self._state = context.state
        self._record = context.record

    async def begin(self, ref: ServerRef) -> SignIn:
        self._record("sign_ins.begin", ref)
        return self._state.sign_in

    async def ended(self, ref: ServerRef) -> None:
        self._record("sign_ins.ended", ref)

    async def sign_out(self, ref: ServerRef) -> None:
        self._record("sign_ins.sign_out", ref)


class FakeDiscovery:
    """`DiscoveryPort` that answers from its fields."""

    def __init__(self, context: FakeContext) -> None:
        self.receipts: dict[ServerRef, Receipt] = {}
        self.current_protection = Protection(IsolationLevel.FULL, network=False, memory_mb=512)
        self._record = context.record

    def receipt(self, ref: ServerRef) -> Receipt | None:
        return self.receipts.get(ref)

    async def package_bytes(self) -> int:
        return 0

    async def protection(self) -> Protection:
        return self.current_protection

    async def allow(self, ref: ServerRef, access: DiscoveryAccess) -> None:
        self._record("discovery.allow", ref, access)

    async def share(self, ref: ServerRef, paths: Sequence[SharedPath]) -> None:
        self._record("discovery.share", ref, paths)

    async def refresh(
        self, workspace: WorkspaceId, server: ServerId | None = None, *, packages: bool = False
    ) -> None:
        name = "discovery.refresh_packages" if packages else "discovery.refresh"
        self._record(name, workspace, server)

    async def cancel(self, workspace: WorkspaceId, server: ServerId | None = None) -> None:
        self._record("discovery.cancel", workspace, server)
