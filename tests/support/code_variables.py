"""Environment variables that can make a program run other code, from sources other than ours."""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_name("variables_that_choose_code.txt").read_text().splitlines()
CHOOSE_CODE = frozenset(
    name for line in _LINES if not line.startswith("#") for name in line.split()
)
