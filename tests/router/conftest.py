"""What the tests of the router have in common: no proxy, and time for an end."""

from __future__ import annotations

import pytest

from tests.support.timeouts import WAIT_S


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one, names of other computers would not be resolved here."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        for variable in (name, name.upper()):
            monkeypatch.delenv(variable, raising=False)


@pytest.fixture(autouse=True)
def _pools_close_however_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long an end may take is for `tests/proofs` to measure. What a busy machine has not ended
    in time would be left to the end of the loop, which leaves processes unclosed."""
    monkeypatch.setattr("router.upstream.pool._CLOSE_TIMEOUT_S", WAIT_S)
