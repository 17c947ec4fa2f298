"""The architecture: which package may import which (contracts in pyproject.toml), and code
conventions."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Each of these runs a nested event loop until the user answers.
BLOCKING_CALLS = {
    "QColorDialog": {"getColor"},
    "QFileDialog": {
        "getExistingDirectory",
        "getOpenFileName",
        "getOpenFileNames",
        "getSaveFileName",
    },
    "QInputDialog": {"getDouble", "getInt", "getItem", "getMultiLineText", "getText"},
    "QMessageBox": {"about", "aboutQt", "critical", "information", "question", "warning"},
}


SHELLS = {
    *("os.system", "os.popen", "os.startfile", "subprocess.getoutput"),
    "asyncio.create_subprocess_shell",
}


def modules(*folders: str) -> list[Path]:
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if "node_modules" not in path.parts)


def calls(path: Path) -> Iterator[tuple[int, ast.Attribute]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.lineno, node.func


@pytest.mark.proves("CARD-1")
def test_every_module_imports_only_what_its_package_may() -> None:
    # A separate process: the linter disables all loggers of its own.
    linter = Path(sys.executable).with_name("lint-imports")
    checked = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_the_window_never_runs_a_nested_event_loop() -> None:
    nested = [
        f"{path.relative_to(ROOT)}:{line} {ast.unparse(call)}()"
        for path in modules("gui")
        for line, call in calls(path)
        if call.attr in {"exec", "exec_"}
        or call.attr in BLOCKING_CALLS.get(ast.unparse(call.value).split(".")[-1], set())
    ]
    assert nested == []


def test_nothing_is_run_through_a_shell() -> None:
    """URLs and commands come from outside; a shell, or `webbrowser`, could run what is in them."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules("router", "gui")
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.Import) and "webbrowser" in [each.name for each in node.names])
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in SHELLS)
        or (isinstance(node, ast.keyword) and node.arg == "shell")
    ]
    assert found == []


@pytest.mark.parametrize("folder", ["packaging", "tests"])
def test_folders_whose_names_would_shadow_a_package_are_not_packages(folder: str) -> None:
    assert list((ROOT / folder).rglob("__init__.py")) == []
