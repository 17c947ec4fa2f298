"""The project's documents are true: requirements, dependencies, locks and layout."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NODE_LOCK = ROOT / "tests" / "node" / "package-lock.json"
INDEX_ADDRESS = re.compile(r"https?://[^\s)]*\b(pypi|pythonhosted|npmjs|yarnpkg)\b")


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements}


def python_dependencies() -> set[str]:
    groups = PYPROJECT["dependency-groups"].values()
    return names(PYPROJECT["project"]["dependencies"]).union(*map(names, groups))


def node_dependencies() -> set[str]:
    package: dict[str, Any] = json.loads((NODE_LOCK.parent / "package.json").read_text())
    return set(package["dependencies"])


def test_every_requirement_has_its_tests_and_every_marked_test_its_requirement() -> None:
    check = [sys.executable, str(ROOT / "packaging" / "requirements_table.py"), "check"]
    result = subprocess.run(check, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_every_dependency_is_explained() -> None:
    explained = (ROOT / "docs" / "dependencies.md").read_text()
    dependencies = python_dependencies() | node_dependencies()
    assert {name for name in dependencies if f"`{name}`" not in explained} == set()


def test_python_locks_pin_every_package_by_hash_and_name_no_url() -> None:
    for lock in (ROOT / "requirements").glob("*.txt"):
        text = lock.read_text()
        entries = re.split(r"\n(?=\S)", text.strip())
        assert [entry for entry in entries if "==" not in entry or "--hash=" not in entry] == []
        assert "://" not in text
        assert str(ROOT) not in text


def test_the_node_lock_pins_every_package_by_hash_and_names_no_url() -> None:
    packages: dict[str, dict[str, Any]] = json.loads(NODE_LOCK.read_text())["packages"]
    installed = {path: package for path, package in packages.items() if path}
    assert [path for path, package in installed.items() if "integrity" not in package] == []
    assert [path for path, package in installed.items() if "resolved" in package] == []


def test_the_documentation_names_no_package_index() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert [path.name for path in documents if INDEX_ADDRESS.search(path.read_text())] == []


def test_every_test_named_in_the_documentation_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "security.md").read_text()))
    sources = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) > 40
    assert named - set(re.findall(r"def (test_\w+)\(", sources)) == set()


def test_every_promise_about_security_names_a_test_that_can_fail() -> None:
    """Each row of a table: so a promise that nothing proves can't be added."""
    lines = (ROOT / "docs" / "security.md").read_text().splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.endswith(" tests |")]
    assert len(rows) > 60
    assert [row for row in rows if not re.search(r"`test_\w+`.*\|$", row)] == []
    named = set(re.findall(r"`(test_\w+)`", "\n".join(rows)))
    bodies: dict[str, str] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        source = path.read_text()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in named:
                bodies[node.name] = ast.unparse(node)
    checks = re.compile(r"\bassert\b|raises\(|refused|until\(|check|expect|_nothing|is_")
    assert [name for name in named if not checks.search(bodies[name])] == []


@pytest.mark.proves("CARD-7")
def test_the_project_has_the_packages_and_folders_it_was_designed_with() -> None:
    assert python_dependencies() >= {
        "pyside6-essentials", "qasync", "mcp", "pydantic", "rank-bm25", "keyring", "platformdirs",
        "pytest-qt", "pyinstaller",
    }  # fmt: skip
    layout = ("pyproject.toml", "router", "gui", "resources", "packaging", "tests", "README.md")
    assert [name for name in layout if not (ROOT / name).exists()] == []


def test_the_architecture_document_has_every_package_and_the_layers_of_the_contract() -> None:
    document = (ROOT / "ARCHITECTURE.md").read_text()
    packages = [f"{path.parent.relative_to(ROOT)}/" for path in ROOT.glob("[rg]*/*/__init__.py")]
    modules = [f"router/{path.name}" for path in (ROOT / "router").glob("[!_]*.py")]
    assert [name for name in packages + modules if f"`{name}`" not in document] == []
    drawn = re.search(r"^router: (.*?)^```", document, re.DOTALL | re.MULTILINE)
    layers = PYPROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert drawn
    assert [layer.strip() for layer in drawn[1].split("->")] == layers


def test_every_command_is_documented() -> None:
    asked = [sys.executable, "-m", "router", "--help"]
    help_text = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^    ([a-z]\S+)", help_text, re.MULTILINE)
    documented = (ROOT / "docs" / "command-line.md").read_text()
    assert "serve" in commands
    assert [word for word in commands if not re.search(rf"`{word}\b", documented)] == []


CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "monotonic_ns"}


def sleeps(node: ast.AST) -> bool:
    """Whether it waits for a time; `sleep(0)` only yields to other tasks."""
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func)
    pauses = name.rpartition(".")[2] in ("sleep", "qWait") or name == "qtbot.wait"
    return pauses and [ast.unparse(given) for given in node.args[:1]] != ["0"]


def clocked_tests(tree: ast.Module) -> set[str]:
    """The tests of a module that read a clock or sleep, directly or through its helpers."""
    parts = [
        each
        for each in tree.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    uses = {
        each.name: {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
        | {node.attr for node in ast.walk(each) if isinstance(node, ast.Attribute)}
        for each in parts
    }
    clocked = {name for name, used in uses.items() if used & CLOCKS}
    clocked |= {each.name for each in parts if any(map(sleeps, ast.walk(each)))}
    while more := {name for name, used in uses.items() if used & clocked} - clocked:
        clocked |= more
    return {name for name in clocked if name.startswith("test_")}


def proofs(tree: ast.Module) -> set[str]:
    tests = [each for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    marks = [ast.unparse(each) for each in tree.body if isinstance(each, ast.Assign)]
    if any(mark.startswith("pytestmark") and "mark.proof" in mark for mark in marks):
        return {test.name for test in tests}
    return {t.name for t in tests if any("mark.proof" in ast.unparse(d) for d in t.decorator_list)}


def test_only_proofs_measure_a_clock_or_sleep() -> None:
    """The load of the machine must not decide whether `make test` passes."""
    found: list[str] = []
    for path in (ROOT / "tests").rglob("test_*.py"):
        if "node_modules" not in path.parts:
            tree = ast.parse(path.read_text())
            found += [f"{path.name}::{name}" for name in clocked_tests(tree) - proofs(tree)]
    assert found == []
