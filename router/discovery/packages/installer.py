"""Fetches a package into a folder of its own: with network, without running any of its code.

npm's scripts are off and only wheels are installed, so nothing of a package runs before it is
sandboxed. The user's settings (npmrc, pip and uv configuration) choose the registry. The server's
environment, and so its secrets, are not passed on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from router.discovery.packages.runners import NPM, PackageRun
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.domain.json_values import as_object
from router.domain.receipts import Why
from router.upstream.errors import failed
from router.upstream.process.environment import server_environment
from router.upstream.process.spawn import Program, start_program

_FETCH_TIMEOUT_S = 120.0
_REGISTRY_SETTINGS = ("npm_config_", "NPM_", "PIP_", "UV_")
_CERTIFICATES = ("NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "SSL_CERT_FILE", "SSL_CERT_DIR")
_CODE_SETTINGS = ("npm_config_ignore_scripts", "npm_config_script_shell", "npm_config_node_options")
_NODE_FILES = (".js", ".mjs", ".cjs")
_BIN = "Scripts" if sys.platform == "win32" else "bin"


@dataclass(frozen=True, slots=True)
class Installed:
    """A fetched package: the command that starts it, and its exact version."""

    command: tuple[str, ...]
    version: str
    integrity: str


class NoInstaller(Exception):
    """This machine has no program that fetches such packages."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


async def install(run: PackageRun, folder: Path, search_path: str) -> Installed:
    """Fetch into the empty `folder`. Raises `UpstreamFailed` or `NoInstaller`."""
    fetch = _install_npm if run.source == NPM else _install_pypi
    try:
        return await fetch(run, folder, search_path)
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise _failed(run, f"the downloaded package can't be used ({error})") from error


def fetch_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """The environment any server gets, and the variables that choose the registry."""
    wanted = {
        name: value
        for name, value in ours.items()
        if (name.startswith(_REGISTRY_SETTINGS) or name in _CERTIFICATES)
        and name.lower() not in _CODE_SETTINGS
    }
    return {**server_environment(ours, {}), **wanted}


async def _install_npm(run: PackageRun, folder: Path, search_path: str) -> Installed:
    npm, node = (shutil.which(name, path=search_path) for name in ("npm", "node"))
    if npm is None or node is None:
        raise NoInstaller(Why.NO_NPM)
    (folder / "package.json").write_text('{"private": true}')
    options = "--ignore-scripts --no-audit --no-fund --no-progress --loglevel=error".split()
    await _run(run, [npm, "install", *options, "--", *run.specs], folder)
    home = folder / "node_modules" / run.name
    about = as_object(json.loads((home / "package.json").read_bytes()))
    lock = as_object(json.loads((folder / "node_modules" / ".package-lock.json").read_bytes()))
    entry = as_object(as_object(lock["packages"])[f"node_modules/{run.name}"])
    return Installed(
        _npm_command(run, home, about.get("bin"), node),
        str(about["version"]),
        str(entry.get("integrity", "")),
    )


def _npm_command(run: PackageRun, home: Path, bins: object, node: str) -> tuple[str, ...]:
    """The program that npx would choose: the named one, the only one, or the one named like the
    package."""
    short = run.name.rpartition("/")[2]
    programs = {short: bins} if isinstance(bins, str) else as_object(bins)
    chosen = run.entry or (short if short in programs else next(iter(programs), ""))
    if chosen not in programs:
        linked = home.parents[1 if "/" in run.name else 0] / ".bin" / chosen
        if run.entry is None or not linked.exists():
            raise ValueError(f"it has no program {chosen}".strip())
        return (str(linked),)
    script = (home / str(programs[chosen])).resolve()
    with script.open("rb") as file:
        first = file.readline(200)
    by_node = b"node" in first if first.startswith(b"#!") else script.suffix in _NODE_FILES
    return (node, str(script)) if by_node else (str(script),)


async def _install_pypi(run: PackageRun, folder: Path, search_path: str) -> Installed:
    environment = folder / "venv"
    python = environment / _BIN / "python"
    if uv := shutil.which("uv", path=search_path):
        await _run(run, [uv, "venv", "--quiet", str(environment)], folder)
        command = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(python)]
    elif base := shutil.which("python3", path=search_path) or shutil.which("python"):
        await _run(run, [base, "-m", "venv", str(environment)], folder)
        command = [str(python), "-m", "pip", "install", "--quiet", "--no-input"]
    else:
        raise NoInstaller(Why.NO_PYTHON)
    await _run(run, [*command, "--only-binary", ":all:", "--", *run.specs], folder)
    program = environment / _BIN / (run.entry or run.name)
    if not shutil.which(str(program)):
        raise ValueError(f"it has no program {program.name}")
    about = _dist_info(environment, run.name)
    version = about.name.removesuffix(".dist-info").rpartition("-")[2]
    record = hashlib.sha256((about / "RECORD").read_bytes()).hexdigest()
    return Installed((str(program),), version, f"record-sha256-{record}")


def _dist_info(environment: Path, name: str) -> Path:
    """The metadata of an installed package, found by its normalized name."""
    wanted = _normalized(name)
    for found in environment.glob("[Ll]ib*/**/site-packages/*.dist-info"):
        if _normalized(found.name.removesuffix(".dist-info").rpartition("-")[0]) == wanted:
            return found
    raise ValueError(f"{name} is not in what was installed")


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


async def _run(run: PackageRun, command: Sequence[str], folder: Path) -> None:
    """Run an installer in its own process group, which has ended when this returns."""
    process = await start_program(
        *command,
        cwd=folder,
        env=fetch_environment(os.environ),
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(_FETCH_TIMEOUT_S):
            output, _ = await process.communicate()
    except TimeoutError:
        raise _failed(run, f"it took more than {_FETCH_TIMEOUT_S:g} s") from None
    finally:
        await _end(process)
    if process.returncode != 0:
        raise _failed(run, _first_error(output))


async def _end(process: Program) -> None:
    if process.returncode is None and sys.platform != "win32":
        os.killpg(process.pid, signal.SIGKILL)
    await process.end()


def _first_error(output: bytes) -> str:
    """The first error that an installer printed, which is the most informative one."""
    text = output.decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["it printed nothing"])[0][:300]


def _failed(run: PackageRun, detail: str) -> UpstreamFailed:
    return failed(Failure(FailureKind.FETCH_FAILED, run.specs[0], detail))
