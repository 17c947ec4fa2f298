"""Commands of the terminal answer quickly, and so does a start of the router."""

from __future__ import annotations

import sys

import pytest

from bench.commands import measure_commands


@pytest.mark.proof
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_commands_and_the_start_stay_within_their_limits() -> None:
    costs = measure_commands()
    assert [cost for cost in costs if not cost.is_within] == []
