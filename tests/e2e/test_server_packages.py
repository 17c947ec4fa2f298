"""Real server packages from npm and PyPI, listed by Toolbooth and by a bare MCP client.

`make servers` runs it: it downloads several GB, so it is no part of any other run. It prints one
table. A package that the bare client can't list either (gone, needs an account) does not count.
One that asks for the network is allowed it, as Toolbooth advises, and named in the table.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.support.router_process import NODE, ROOT, TOOLBOOTH, RouterProcess

pytestmark = [pytest.mark.servers, pytest.mark.timeout(7200)]
PACKAGES = Path(__file__).with_name("server_packages.toml")
RUNNERS = {"npm": ["npx", "-y"], "pypi": ["uvx"]}
AT_ONCE = int(os.environ.get("SERVERS_AT_ONCE", "2"))
GOAL_PERCENT = 98
LISTING_S = 240
"""How long a package may take, with its download."""


@dataclass(frozen=True, slots=True)
class ServerPackage:
    name: str
    command: Sequence[str]
    env: dict[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    package: str
    bare: int | None
    ours: int | None
    reason: str

    def __str__(self) -> str:
        def count(tools: int | None) -> str:
            return "-" if tools is None else str(tools)

        return f"{self.package:45} {count(self.bare):>5} {count(self.ours):>9}  {self.reason}"


def packages(folder: Path) -> list[ServerPackage]:
    found: list[ServerPackage] = []
    for source, entries in tomllib.loads(PACKAGES.read_text()).items():
        for number, (name, entry) in enumerate(entries.items()):
            place = folder / f"{source}-{number}"
            place.mkdir()
            fill = {"folder": str(place), "file": str(place / "file")}
            args = [arg.format_map(fill) for arg in entry.get("args", ())]
            env = {key: value.format_map(fill) for key, value in entry.get("env", {}).items()}
            named = ["--from", name, entry["program"]] if "program" in entry else [name]
            command = [*RUNNERS[source], *named, *args]
            found.append(ServerPackage(name, command, env))
    return found


@pytest.fixture
def router(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A router with uv, Node.js and a home of its own, but the installers' settings."""
    home = Path.home()
    settings = {
        "NPM_CONFIG_USERCONFIG": home / ".npmrc",
        "PIP_CONFIG_FILE": home / ".config" / "pip" / "pip.conf",
    }
    for name, file in settings.items():
        if file.is_file():
            monkeypatch.setenv(name, str(file))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    programs = (node_programs(tmp_path / "bin"), ROOT / "build" / "uv" / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, programs), os.environ["PATH"]]))
    started = RouterProcess(TOOLBOOTH, tmp_path / "data")
    started.data_dir.mkdir()
    started.command_timeout_s = LISTING_S
    started.start()
    yield started
    started.close()


def node_programs(folder: Path) -> Path:
    """A folder with `node`, `npm` and `npx`: those in the wheel only run from Python."""
    folder.mkdir()
    (folder / "node").symlink_to(NODE)
    for name in ("npm", "npx"):
        script = NODE.parents[1] / "lib" / "node_modules" / "npm" / "bin" / f"{name}-cli.js"
        (folder / name).write_text(f'#!/bin/sh\nexec "{NODE}" "{script}" "$@"\n')
        (folder / name).chmod(0o755)
    return folder


async def test_toolbooth_lists_what_a_bare_client_lists(
    router: RouterProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slots = asyncio.Semaphore(AT_ONCE)
    rows: list[Row] = []

    async def add_row(package: ServerPackage) -> None:
        async with slots:
            bare, why = await listed_by_bare_client(package, tmp_path)
            ours, failure = await asyncio.to_thread(listed_by_toolbooth, router, package)
            rows.append(Row(package.name, bare, ours, why or failure))
            with capsys.disabled():
                print(rows[-1], flush=True)

    with capsys.disabled():
        print(f"\n{'package':45} {'bare':>5} {'Toolbooth':>9}")
    await asyncio.gather(*map(add_row, packages(tmp_path)))
    expected = [row for row in rows if row.bare is not None]
    # More is no fault: some tools are only for clients that can do more, as Toolbooth's can.
    listed = [row for row in expected if (row.ours or 0) >= (row.bare or 0)]
    percent = 100 * len(listed) / len(expected)
    with capsys.disabled():
        print(f"{len(listed)} of {len(expected)} that a bare client lists: {percent:.0f} %")
    assert len(expected) >= 40
    assert percent >= GOAL_PERCENT


async def listed_by_bare_client(package: ServerPackage, folder: Path) -> tuple[int | None, str]:
    """How many tools the SDK's client lists of the command, or its last words."""
    log = folder / f"{package.name.replace(chr(47), chr(45))}.log"
    program, *args = package.command
    parameters = StdioServerParameters(
        command=shutil.which(program) or program,
        args=args,
        env={**os.environ, **package.env},
        cwd=str(folder / "home"),
    )
    try:
        with log.open("w+") as errors:
            async with (
                asyncio.timeout(LISTING_S),
                Client(stdio_client(parameters, errlog=errors), mode="legacy") as client,
            ):
                tools, cursor = 0, None
                while True:
                    page = await client.list_tools(cursor=cursor)
                    tools, cursor = tools + len(page.tools), page.next_cursor
                    if cursor is None:
                        return tools, ""
    except Exception as error:  # noqa: BLE001 - whatever ends it is the answer
        words = log.read_text(errors="replace").strip().splitlines()
        return None, f"bare client: {words[-1] if words else error!r}"[:150]


def listed_by_toolbooth(router: RouterProcess, package: ServerPackage) -> tuple[int | None, str]:
    """How many tools Toolbooth lists, or why it fails."""
    env = [word for name, value in package.env.items() for word in ("--env", f"{name}={value}")]
    name = package.name.replace("/", "-")
    try:
        server = router.json("add", name, *env, "--", *package.command)["id"]
        [row] = json.loads(router.run("refresh", server, "--json").stdout)
        advised = row["failure"] is not None and row["failure"]["kind"] == "network_needed"
        if advised:
            row = router.json("approve", server, "--network")
        router.json("remove", server)
    except Exception as error:  # noqa: BLE001 - whatever ends it is the answer
        return None, repr(error)[:300]
    if failure := row["failure"]:
        return row["toolCount"], " ".join(failure["cause"].split())[:300]
    return row["toolCount"], "with --network, as advised" if advised else ""
