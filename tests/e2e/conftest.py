"""The router as a process of its own, stopped at the end whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.booth import TOOLBOOTH, Booth


@pytest.fixture
def booth(tmp_path: Path) -> Iterator[Booth]:
    started = Booth(TOOLBOOTH, tmp_path / "data")
    yield started
    started.close()
