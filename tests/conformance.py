"""Runs the official conformance suite and reads what it says, scenario by scenario."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.booth import NODE, NODE_SERVERS

SUITE = NODE_SERVERS / "conformance"
REVISIONS = ("2025-11-25", "2026-07-28")
_SCENARIO_MS = 30_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """How one scenario ended."""

    scenario: str
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.failures


def required(revision: str, side: str) -> list[str]:
    """The scored scenarios of a revision for `server` or `client`."""
    text = (SUITE / "requirements" / f"{revision}.yaml").read_text()
    section = re.search(rf"^{side}:\n((?:  - .*\n)+)", text, re.MULTILINE)
    assert section is not None, text
    return [line.removeprefix("  - ") for line in section[1].splitlines()]


def run(
    side: str, revision: str, scenario: str, folder: Path, *options: str, **environment: str
) -> Verdict:
    """Run one scenario; judged by its checks and by how the suite exits."""
    command = [
        str(NODE),
        str(SUITE / "dist" / "index.js"),
        *(side, "--scenario", scenario, "--spec-version", revision),
        *("--timeout", str(_SCENARIO_MS), "-o", str(folder), *options),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
    failures = [
        f"{check['id']}: {check.get('errorMessage', '')}"
        for checks in folder.rglob("checks.json")
        for check in json.loads(checks.read_text())
        if check["status"] == "FAILURE"
    ]
    if done.returncode != 0 and not failures:
        failures.append(f"exit code {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}")
    if not list(folder.rglob("checks.json")):
        failures.append(f"no checks were made: {done.stdout[-800:]}{done.stderr[-800:]}")
    return Verdict(scenario, tuple(failures))


def table(title: str, verdicts: Iterable[Verdict]) -> str:
    verdicts = list(verdicts)
    passed = sum(verdict.passed for verdict in verdicts)
    lines = [f"{title}: {passed} of {len(verdicts)} pass"]
    for verdict in verdicts:
        lines.append(f"  {'pass' if verdict.passed else 'FAIL'}  {verdict.scenario}")
        lines += [f"        {failure[:300]}" for failure in verdict.failures]
    return "\n".join(lines)


def failing(verdicts: Iterable[Verdict]) -> Mapping[str, tuple[str, ...]]:
    return {verdict.scenario: verdict.failures for verdict in verdicts if not verdict.passed}
