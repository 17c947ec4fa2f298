"""Programs of version managers in a sandbox."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from router.discovery.sandbox.launch_spec import LaunchSpec, SandboxProfile
from router.discovery.sandbox.sandbox import Sandbox, SandboxRequest
from router.discovery.sandbox.self_test import SandboxSupport
from router.domain.receipts import IsolationLevel
from router.upstream.process.stdio import ServerCommand


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "people" / "ann"
    home.mkdir(parents=True)
    for name in list(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return home


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


async def run_of(home: Path, command: Path, **env: str) -> tuple[LaunchSpec, str]:
    """What the sandbox would run, and on which PATH."""
    support = SandboxSupport(SandboxProfile(IsolationLevel.FULL), ())
    sandbox = Sandbox(home.parents[1] / "runs", home, home.parents[1] / "data", lambda: support)
    server = ServerCommand(str(command), env={"PATH": "/usr/bin", **env}, inherits=False)
    async with sandbox.command(SandboxRequest(server)) as run:
        path = next(v for k, v in run.command.env.items() if k.endswith("_PATH"))
        return LaunchSpec.read(Path(run.command.args[-1])), path


@pytest.mark.parametrize(
    ("manager", "shims", "asked"),
    [
        ("pyenv", ".pyenv/shims", ".pyenv/bin/pyenv"),
        ("nodenv", ".nodenv/shims", ".local/bin/nodenv"),
        ("asdf", ".asdf/shims", ".asdf/bin/asdf"),
        ("mise", ".local/share/mise/shims", ".local/bin/mise"),
    ],
)
async def test_the_program_behind_a_shim_runs_with_its_installation(
    home: Path, manager: str, shims: str, asked: str
) -> None:
    real = program(home / f".{manager}" / "versions" / "3.12" / "bin" / "python3")
    program(home / asked, f'#!/bin/sh\n[ "$1 $2" = "which python3" ] && echo {real}\n')
    spec, path = await run_of(home, program(home / shims / "python3"))
    assert spec.program == str(real)
    assert str(real.parents[1]) in spec.readable
    assert path == f"{real.parent}:/usr/bin"


async def test_a_link_to_voltas_shim_is_followed_by_asking_volta(home: Path) -> None:
    real = program(home / ".volta/tools/image/node/22.0.0/bin/node")
    program(home / ".volta/bin/volta", f"#!/bin/sh\necho {real}\n")
    shim = home / ".volta/bin/node"
    shim.symlink_to(program(home / ".volta/bin/volta-shim"))
    spec, _ = await run_of(home, shim)
    assert spec.program == str(real)


async def test_the_interpreter_of_a_script_may_be_behind_a_shim(home: Path) -> None:
    real = program(home / ".nodenv/versions/20/bin/node")
    program(home / ".local/bin/nodenv", f"#!/bin/sh\necho {real}\n")
    shims = program(home / ".nodenv/shims/node").parent
    script = program(home / "work" / "server.js", "#!/usr/bin/env node\n")
    spec, path = await run_of(home, script, PATH=str(shims))
    assert spec.program == str(script)
    assert path == f"{real.parent}:{shims}"
    assert str(real.parents[1]) in spec.readable


async def test_a_node_of_fnm_is_used_from_its_installation(home: Path) -> None:
    real = program(home / ".local/share/fnm/node-versions/v20/installation/bin/node")
    session = home / ".local/state/fnm_multishells" / "1_2"
    session.parent.mkdir(parents=True)
    session.symlink_to(real.parents[1])
    spec, _ = await run_of(home, session / "bin" / "node")
    assert spec.program == str(real)


async def test_a_servers_configuration_cannot_choose_the_manager(home: Path) -> None:
    """It would run outside the sandbox."""
    ran = home / "ran"
    evil = program(home / "evil/.pyenv/bin/pyenv", f"#!/bin/sh\ntouch {ran}\n").parent
    shim = program(home / "evil/.pyenv/shims/python3")
    spec, _ = await run_of(home, shim, PATH=f"{evil}:/usr/bin", PYENV_ROOT=str(evil.parent))
    assert spec.program == str(shim)
    assert not ran.exists()
