"""The table of what was tried and what was lost."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import TypeAlias

import pytest

Table: TypeAlias = dict[str, tuple[str, str]]
"""What was tried and what was lost, by what was done."""
TABLE = Path(__file__).parents[2] / "build" / "chaos.md"


@pytest.fixture(scope="session")
def table() -> Generator[Table]:
    """Written and printed when all proofs are done."""
    rows: Table = {}
    yield rows
    lines = ["| what | tried | lost |", "|---|---|---|"]
    lines += [f"| {what} | {tried} | {lost} |" for what, (tried, lost) in rows.items()]
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(lines) + "\n")
    os.write(2, "\n".join(["", *lines, ""]).encode())
