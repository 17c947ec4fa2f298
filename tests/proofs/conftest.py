"""The table of what was tried and what was lost."""

from __future__ import annotations

from typing import TypeAlias

import pytest

Table: TypeAlias = dict[str, tuple[str, str]]
"""What was tried and what was lost, by what was done."""

_ROWS: Table = {}


@pytest.fixture(scope="session")
def table() -> Table:
    """Printed when all proofs are done."""
    return _ROWS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _ROWS:
        lines = [f"| {what} | {tried} | {lost} |" for what, (tried, lost) in _ROWS.items()]
        terminalreporter.section("what was tried and lost")
        for line in ("| what | tried | lost |", "|---|---|---|", *lines):
            terminalreporter.write_line(line)
