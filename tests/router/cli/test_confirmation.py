"""Commands that approve something or loosen a permission need a person: in the window, else at a
real terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from router.api.events import ConfirmationsChanged, Event
from router.commands.command import CONFIRMED, NEEDS_CONFIRMATION
from router.commands.registry import COMMANDS, dispatch
from router.domain.errors import Refused
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.permissions import Permission
from router.runtime.tasks import spawn
from tests.router.cli.terminal import SERVER
from tests.support.running_router import PERSONAL, RunningRouter, running_router
from tests.support.timeouts import WAIT_S

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="opens a pseudo-terminal")
TOOLBOOTH = (sys.executable, "-m", "router")
LEAD = """
import fcntl, os, sys, termios
terminal = os.open(sys.argv[1], os.O_RDWR)
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
os.execv(sys.argv[2], sys.argv[2:])
"""
ECHO = ToolKey(ServerId("test"), "echo")


def add(folder: Path) -> list[str]:
    return [*TOOLBOOTH, "add", "Test", "--data-dir", str(folder), "--", *SERVER]


def approve_at_terminal(folder: Path, *, right: bool) -> tuple[int, str]:
    """The exit code of a command at a real terminal, where the code that is shown, or another one,
    is typed; and what the terminal showed."""
    ours, theirs = os.openpty()
    lead = [sys.executable, "-c", LEAD, os.ttyname(theirs), *add(folder)]
    with subprocess.Popen(
        lead, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    ) as command:
        shown = ""
        while not (asked := re.search(r"Type (\d+) to confirm", shown)):
            shown += os.read(ours, 4096).decode()
        os.write(ours, f"{asked[1] if right else 'yes'}\n".encode())
        code = command.wait(WAIT_S)
    os.close(ours)
    os.close(theirs)
    return code, shown


def servers(folder: Path) -> bytes:
    listing = [*TOOLBOOTH, "list", "--json", "--data-dir", str(folder)]
    return subprocess.run(listing, capture_output=True, check=True).stdout


@POSIX_ONLY
@pytest.mark.proves("META-5")
def test_at_a_terminal_a_person_types_the_code_that_is_shown(tmp_path: Path) -> None:
    code, shown = approve_at_terminal(tmp_path, right=False)
    assert code == 1
    assert str(SERVER[1]) in shown
    assert b"test" not in servers(tmp_path)
    assert approve_at_terminal(tmp_path, right=True)[0] == 0
    assert b'"id": "test"' in servers(tmp_path)


@POSIX_ONLY
@pytest.mark.proves("META-5")
def test_without_a_terminal_nothing_is_approved(tmp_path: Path) -> None:
    """As when an agent runs the command; also if it pipes the answer in."""
    done = subprocess.run(
        add(tmp_path), input="1234\n", capture_output=True, text=True, start_new_session=True
    )
    assert done.returncode == 1
    assert "needs a person" in done.stderr
    assert "confirmCommands" not in done.stderr
    assert b"test" not in servers(tmp_path)


@pytest.fixture
async def attended(tmp_path: Path) -> AsyncGenerator[RunningRouter]:
    async with running_router(tmp_path, attended=True) as running:
        await running.add("Test")
        yield running


@pytest.mark.proves("META-5")
@pytest.mark.parametrize("confirmed", [True, False])
async def test_while_a_window_is_open_it_decides(attended: RunningRouter, confirmed: bool) -> None:
    """Whatever the sender of the command says."""
    router = attended.router

    def answer(_: Event) -> None:
        for each in router.confirmations.pending():
            assert "test:echo" in each.command
            confirm = router.confirmations.answer(each.id, confirmed=confirmed)
            spawn(confirm, name="answer a confirmation")

    router.subscribe(lambda e: answer(e) if isinstance(e, ConfirmationsChanged) else None)
    await router.permissions.set(PERSONAL, ECHO, Permission.DENY)
    allow: JsonObject = {"toolKey": "test:echo", "permission": "allow"}
    needed = (await dispatch(router, "permission set", allow))[NEEDS_CONFIRMATION]
    assert needed["inWindow"]
    if confirmed:
        await dispatch(router, "permission set", {**allow, CONFIRMED: True})
    else:
        with pytest.raises(Refused, match="declined"):
            await dispatch(router, "permission set", {**allow, CONFIRMED: True})
    permission = router.projects.permissions(PERSONAL, None)[ECHO]
    assert permission is (Permission.ALLOW if confirmed else Permission.DENY)


def rule(permission: str, **more: object) -> JsonObject:
    return {"rule": {"permission": permission, "server": "*"}, **more}


@pytest.mark.proves("META-5")
@pytest.mark.parametrize(
    ("name", "arguments", "needed"),
    [
        ("approve", {"server": "test"}, True),
        ("approve", {"server": "test:echo"}, True),
        ("approve", {"server": "test", "access": "network"}, True),
        ("approve", {"server": "test", "access": "isolated"}, False),
        ("approve", {"server": "test", "access": "isolated", "read": ["/etc"]}, True),
        ("approve", {"server": "test", "folder": "/tmp"}, True),
        ("dismiss", {"tool": "test:echo"}, True),
        ("add", {"name": "x", "config": {"command": "no-such-program"}}, True),
        ("add", {"name": "x", "config": {"url": "http://127.0.0.1:9/mcp"}}, False),
        ("permission set", {"toolKey": "test:echo", "permission": "allow"}, True),
        ("permission set", {"toolKey": "test:echo", "permission": "ask"}, True),
        ("permission set", {"toolKey": "test:fail", "permission": "ask"}, False),
        ("permission set", {"toolKey": "test:fail", "permission": "deny"}, False),
        ("permission rule", {"remove": True, "place": 1}, True),
        ("permission rule", rule("allow"), True),
        ("permission rule", rule("ask"), False),
        ("permission rule", rule("ask", place=1), True),
        ("permission rule", rule("deny"), False),
        ("permission answer", {"ask": "1", "answer": "once"}, True),
        ("workspace set", {"approval": "trust"}, True),
        ("workspace set", {"approval": "ask_always"}, False),
        ("list", {}, False),
    ],
)
async def test_what_approves_or_loosens_needs_a_person_and_nothing_else(
    running: RunningRouter, name: str, arguments: JsonObject, needed: bool
) -> None:
    await running.add("Test")
    await running.router.permissions.set(PERSONAL, ECHO, Permission.DENY)
    result = await dispatch(running.router, name, arguments)
    assert (isinstance(result, dict) and NEEDS_CONFIRMATION in result) is needed
    assert name in COMMANDS


@pytest.fixture
async def running(tmp_path: Path) -> AsyncGenerator[RunningRouter]:
    async with running_router(tmp_path) as started:
        yield started


async def test_the_setting_lets_scripts_approve(running: RunningRouter) -> None:
    await running.add("Test")
    await running.router.settings.update({"confirm_commands": False})
    allow: JsonObject = {"toolKey": "test:echo", "permission": "allow"}
    assert NEEDS_CONFIRMATION not in await dispatch(running.router, "permission set", allow)
