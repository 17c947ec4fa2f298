"""What most parts of the service share, as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from router.api.events import Publish
from router.config.settings import Settings
from router.runtime.clock import Clock
from router.service.workspace_catalogs import WorkspaceCatalogs
from router.store.deferred_writes import DeferredWrites
from router.store.redaction import Redactor
from router.store.secrets import LayeredSecrets


@dataclass(frozen=True, slots=True)
class ServiceContext:
    catalogs: WorkspaceCatalogs
    settings: Callable[[], Settings]
    """The settings as they are now."""
    secrets: LayeredSecrets
    redactor: Redactor
    deferred_writes: DeferredWrites
    publish: Publish
    clock: Clock
