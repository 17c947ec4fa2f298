"""Texts are in the context where they are looked up: lupdate and Qt use the same one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gui

ROOT = Path(gui.__path__[0])
MODULES = sorted(ROOT.rglob("*.py"))


def bare_calls(tree: ast.AST) -> Iterator[int]:
    """The lines where `tr(...)` is called by its bare name inside a derived class."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.bases:
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                    yield from [call.lineno] if call.func.id == "tr" else []


def hidden_calls(tree: ast.AST) -> Iterator[int]:
    """The lines where a text is translated inside an f-string, which lupdate does not read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for call in ast.walk(node):
                name = getattr(getattr(call, "func", None), "attr", None) or getattr(
                    getattr(call, "func", None), "id", None
                )
                yield from [node.lineno] if name == "tr" else []


def foreign_calls(tree: ast.AST) -> Iterator[int]:
    """The lines where another object than `self` translates: lupdate uses the variable's name as
    context, so the translation is never found."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            by = call.func.value
            own = isinstance(by, ast.Name) and by.id == "self"
            yield from [call.lineno] if call.func.attr == "tr" and not own else []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_lupdate_finds_every_text_in_its_own_context(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))

    assert list(bare_calls(tree)) == []
    assert list(hidden_calls(tree)) == []
    assert list(foreign_calls(tree)) == []
