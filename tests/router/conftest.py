"""Common to all tests of the router: no proxy, and generous time limits for closing."""

from __future__ import annotations

import pytest

from tests.support.timeouts import WAIT_S


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a proxy, names of other computers would not be resolved here."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        for variable in (name, name.upper()):
            monkeypatch.delenv(variable, raising=False)


@pytest.fixture(autouse=True)
def _generous_close_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """`tests/proofs` measures how long closing takes. A process that a busy machine has not ended
    in time would be left to the end of the loop, which leaves it unclosed."""
    monkeypatch.setattr("router.upstream.pool._CLOSE_TIMEOUT_S", WAIT_S)
