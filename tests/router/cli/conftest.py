from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from tests.router.cli.terminal import Terminal
from tests.router.store.test_secrets import MemoryKeyring


@pytest.fixture
def terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(tmp_path, capsys)


@pytest.fixture
def in_memory() -> Iterator[MemoryKeyring]:
    """A keyring that outlives the commands of one test."""
    before = keyring.get_keyring()
    memory = MemoryKeyring()
    keyring.set_keyring(memory)
    yield memory
    keyring.set_keyring(before)
