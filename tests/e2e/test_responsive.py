"""The window stays responsive whatever the router does: its benchmark stays within limits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.router_process import ROOT


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_the_window_never_freezes_with_5000_tools_and_100_calls_a_second(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "bench.window", "--out", str(tmp_path / "figures.json")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
