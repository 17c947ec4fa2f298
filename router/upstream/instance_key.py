"""Which instance of a server a call uses: the shared one, or that of a session or a folder."""

from __future__ import annotations

from dataclasses import dataclass

from router.config.server import Sharing
from router.domain.errors import InvalidInput
from router.domain.ids import ServerRef
from router.upstream.ports import ClientPeer, SessionId
from router.upstream.run_options import RunOptions
from router.upstream.server_requests import (
    FOLDER_CAPABILITIES,
    ClientFeatures,
    features_of,
)
from router.wire.mcp import FOLDER_HEADER


@dataclass(frozen=True, slots=True)
class InstanceKey:
    """One instance of a server. Without session and folder it is shared by all clients."""

    ref: ServerRef
    session: SessionId | None = None
    folder: str | None = None

    @property
    def is_shared(self) -> bool:
        return self.session is None and self.folder is None


def instance_key_for(
    ref: ServerRef, run_options: RunOptions, client: ClientPeer | None
) -> InstanceKey:
    """The instance for a call. Raises `InvalidInput` if it depends on a folder that the client has
    not named."""
    if client is None:
        return InstanceKey(ref)
    if run_options.follows_client and client.folder is None:
        raise InvalidInput(
            f"{run_options.name or ref.server} works in the folder of its client, and this client "
            "has not said which one that is.",
            f"Have the client send its folder in the header {FOLDER_HEADER}, or as its roots.",
        )
    return InstanceKey(
        ref,
        session=client.session if run_options.sharing is Sharing.PER_SESSION else None,
        folder=client.folder if run_options.follows_client else None,
    )


def client_features_for(
    key: InstanceKey, run_options: RunOptions, client: ClientPeer | None
) -> ClientFeatures:
    """The client features that the upstream for `key` is opened with."""
    if key.session is not None and client is not None:
        capabilities = features_of(client.capabilities)
        folder = None if "roots" in capabilities else client.folder
        if folder is not None:
            capabilities["roots"] = {}
        return ClientFeatures(capabilities, folder, only_client=client)
    if key.folder is not None or run_options.sharing is Sharing.PER_SESSION:
        # A per-session server without a session is opened to read its lists: with all features.
        return ClientFeatures(FOLDER_CAPABILITIES, key.folder)
    return ClientFeatures()
