"""Verifying a token is fast: every request does it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from router.store.tokens import TokenStore
from tests.support.fakes import FakeClock

pytestmark = pytest.mark.proof


def test_checking_a_token_costs_microseconds(tmp_path: Path) -> None:
    tokens = TokenStore(tmp_path / "tokens.json", FakeClock())
    secrets = [tokens.issue(f"client {number}", None, None).secret for number in range(20)]
    started = time.perf_counter()
    for _ in range(500):
        for secret in secrets:
            tokens.verify(secret)
    assert (time.perf_counter() - started) / 10_000 < 100e-6
