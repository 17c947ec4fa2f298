"""A command whose disk fails, or that is killed, at each single step of its writes: what it
acknowledged is there, what was there before is too, and what it refused is not."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proofs.conftest import Table
from tests.support.router_process import TOOLBOOTH, do_not_confirm
from tests.support.timeouts import WAIT_S

SHIM = Path(__file__).with_name("failing_disk.c")
KILLED = 0
FAILURES = {
    "full from then on": {"FAILING_ERROR": str(errno.ENOSPC)},
    "one error": {"FAILING_ERROR": str(errno.EIO), "FAILING_ONCE": "1"},
    "killed": {"FAILING_ERROR": str(KILLED)},
}
COMMANDS = {
    "add": (["add", "new", "--", "/bin/true"], {"first", "new"}),
    "remove": (["remove", "first"], set[str]()),
}

pytestmark = [
    pytest.mark.proof,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD"),
]


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("shim") / "failing_disk.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    return library


def toolbooth(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    place = words.index("--") if "--" in words else len(words)
    given = [*words[:place], "--data-dir", str(folder), *words[place:]]
    environment = {**os.environ, **variables}
    return subprocess.run(
        [TOOLBOOTH, *given], capture_output=True, text=True, timeout=WAIT_S, env=environment
    )


def servers(folder: Path) -> set[str]:
    """Those that are there and may run."""
    listed = toolbooth(folder, "list", "--json")
    assert listed.returncode == 0, listed.stderr
    found = json.loads(listed.stdout)
    return {each["id"] for each in found if each["state"] != "needs_consent"}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_disk_that_fails_at_a_step_loses_nothing(
    tmp_path: Path, shim: Path, table: Table, command: str, failure: str
) -> None:
    before, folder = tmp_path / "before", tmp_path / "data"
    words, expected = COMMANDS[command]
    do_not_confirm(before)
    assert toolbooth(before, "add", "first", "--", "/bin/true").returncode == 0
    lost, step = list[str](), 0
    while True:
        step += 1
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(before, folder)
        report = tmp_path / f"failed-{step}"
        done = toolbooth(
            folder,
            *words,
            LD_PRELOAD=str(shim),
            FAILING_FOLDER=str(folder),
            FAILING_STEP=str(step),
            FAILING_REPORT=str(report),
            **FAILURES[failure],
        )
        there = servers(folder)
        right = {0: [expected], 1: [{"first"}]}.get(done.returncode, [{"first"}, expected])
        if there not in right or "Unexpected" in done.stderr or "Traceback" in done.stderr:
            lost.append(f"step {step}: exit code {done.returncode}, {there}: {done.stderr}")
        if not report.exists():
            break
    table[f"`{command}`, each write step {failure}"] = (f"{step - 1} steps", str(len(lost)))
    assert step > 5
    assert lost == []
