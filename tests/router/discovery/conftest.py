"""A running router for discovery."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.running_router import RunningRouter, running_router


@pytest.fixture
async def running(tmp_path: Path) -> AsyncGenerator[RunningRouter]:
    async with running_router(tmp_path / "data") as started:
        yield started
