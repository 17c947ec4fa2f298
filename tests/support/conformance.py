"""Runs the official conformance suite and reads its results, scenario by scenario."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.router_process import NODE, NODE_SERVERS

SUITE = NODE_SERVERS / "conformance"
REVISIONS = ("2025-11-25", "2026-07-28")
_SCENARIO_MS = 120_000
_TIMEOUT_S = 280
_RAN_AT = re.compile(r"-\d{4}-\d\d-\d\dT[\d-]+Z$")


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


def run(side: str, revision: str, folder: Path, *options: str) -> tuple[list[Verdict], int]:
    """Run all scenarios of a revision in one process of the suite; returns how each scenario ended,
    scored or not, and the suite's exit code, which is 1 if a scored one failed."""
    command = [
        *(str(NODE), str(SUITE / "dist" / "index.js"), side, "--requirements", revision),
        *("--timeout", str(_SCENARIO_MS), "-o", str(folder), *options),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_TIMEOUT_S, env=dict(os.environ)
    )
    prefix = "server-" if side == "server" else ""
    checks = {_scenario(path, folder, prefix): path for path in folder.rglob("checks.json")}
    scenarios = dict.fromkeys([*required(revision, side), *sorted(checks)])
    verdicts = [_verdict(each, checks.get(each)) for each in scenarios]
    if done.returncode != 0:
        print(done.stdout[-4000:], done.stderr[-4000:])
    return verdicts, done.returncode


def _scenario(checks: Path, folder: Path, prefix: str) -> str:
    """The scenario of these checks; some names contain a slash, as folders do."""
    return _RAN_AT.sub("", checks.parent.relative_to(folder).as_posix()).removeprefix(prefix)


def _verdict(scenario: str, path: Path | None) -> Verdict:
    checks: list[dict[str, Any]] = json.loads(path.read_text()) if path else []
    if not [check for check in checks if check["status"] == "SUCCESS"]:
        return Verdict(scenario, ("nothing was found to be right",))
    failures = [
        f"{check['id']}: {check.get('errorMessage', '')}"
        for check in checks
        if check["status"] == "FAILURE"
    ]
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
