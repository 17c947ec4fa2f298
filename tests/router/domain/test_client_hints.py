"""A refusal that a client reads never names the command that would lift it: a client with a
terminal would run that itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import router
from router.domain.errors import ToolboothError
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.result import failed
from router.upstream.errors import failed as upstream_failed

LIFTS = re.compile(
    r"toolbooth (approve|permission|enable|add|edit|sign-in|token new|workspace set|refresh)"
)
ROOT = Path(str(router.__file__)).parent
FOR_THE_TERMINAL = ("commands", "cli")


@pytest.mark.parametrize("kind", list(FailureKind))
def test_no_failure_of_a_server_tells_a_client_the_command_that_lifts_it(kind: FailureKind) -> None:
    failure = Failure(kind, "files", "detail")
    shown = failed(upstream_failed(failure, "Files"))
    assert not LIFTS.search(shown.sentence)
    assert not LIFTS.search(advise(failure, "Files").suggestion)


def test_the_user_is_still_told() -> None:
    consent = upstream_failed(Failure(FailureKind.CONSENT_NEEDED, "files"), "Files")
    assert "toolbooth approve files" in consent.full_hint
    assert "toolbooth approve files" in failed(consent).terminal
    assert failed(ToolboothError("No.", "Ask.", "Run: toolbooth approve a")).sentence == "No. Ask."


def test_commands_that_lift_a_refusal_are_named_for_the_terminal_only() -> None:
    """In every other module, such a text is the third part of an error: `terminal`."""
    for file in sorted(ROOT.rglob("*.py")):
        if file.relative_to(ROOT).parts[0] in FOR_THE_TERMINAL:
            continue
        tree = ast.parse(file.read_text())
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if ast.unparse(call.func) == "sentence":
                continue  # part of another call
            for argument in call.args[:2]:
                assert not LIFTS.search(ast.unparse(argument)), (file, ast.unparse(argument))
