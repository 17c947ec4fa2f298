"""What every test has: the asyncio backend, and the marker that ties tests to requirements."""

from __future__ import annotations

import pytest

pytest_plugins = [
    "tests.support.hang_guard",
    "tests.support.main_thread_gc",
    "tests.support.protection_header",
]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "proves(*names): the requirements of docs/requirements.md this test proves"
    )


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
