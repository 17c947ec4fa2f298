"""Common to all tests: the asyncio backend, the marker that ties tests to requirements, and
isolation from the user who runs them: no keyring, no servers from the environment, no proxy for
loopback."""

from __future__ import annotations

import os

import pytest

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
for _name in [name for name in os.environ if name.endswith("_MCP_URL")]:
    del os.environ[_name]
for _name in ("no_proxy", "NO_PROXY"):
    _others = os.environ.get(_name, "").split(",")
    os.environ[_name] = ",".join(filter(None, [*_others, "localhost", "127.0.0.1", "::1"]))

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
