"""Common to the tests of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.store.config_store import ConfigStore
from router.store.deferred_writes import DeferredWrites


@pytest.fixture
def store(tmp_path: Path) -> ConfigStore:
    store = ConfigStore(tmp_path, DeferredWrites())
    assert store.load() == []
    return store
