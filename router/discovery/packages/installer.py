"""Fetching a package into a folder of its own: with network, without running any code of it.

npm's scripts are off and only ready-made wheels are taken, so nothing of a package runs before it
is isolated. The person's own settings (npmrc, pip and uv configuration) say where from; the
server's environment, and so its secrets, are not given.
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
from router.upstream.process.spawn import start_program

_FETCH_TIMEOUT_S = 120.0
_REGISTRY_SETTINGS = ("npm_config_", "NPM_", "PIP_", "UV_")
_TRUST = ("NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "SSL_CERT_FILE", "SSL_CERT_DIR")
_CHOOSE_CODE = ("npm_config_ignore_scripts", "npm_config_script_shell", "npm_config_node_options")
_NODE_FILES = (".js", ".mjs", ".cjs")
_BIN = "Scripts" if sys.platform == "win32" else "bin"


@dataclass(frozen=True, slots=True)
class Installed:
    """What was fetched: the command that starts it, and exactly what it is."""

    command: tuple[str, ...]
    version: str
    integrity: str


class NoInstaller(Exception):
    """There is no program here that could fetch such a package."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


async def install(run: PackageRun, folder: Path, search_path: str) -> Installed:
    """Fetch into `folder`, an empty one. Raises `UpstreamFailed`, or `NoInstaller`."""
    fetch = _install_npm if run.source == NPM else _install_pypi
    try:
        return await fetch(run, folder, search_path)
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise _failed(run, f"what came can't be used ({error})") from error


def fetch_environment(ours: Mapping[str, str]) -> dict[str, str]:
    """Ours as any server would get it, and what says where packages come from."""
    wanted = {
        name: value
        for name, value in ours.items()
        if (name.startswith(_REGISTRY_SETTINGS) or name in _TRUST)
        and name.lower() not in _CHOOSE_CODE
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
    """The program npx would choose: the one named, the only one, or the package's namesake."""
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
        words = [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(python)]
    elif base := shutil.which("python3", path=search_path) or shutil.which("python"):
        await _run(run, [base, "-m", "venv", str(environment)], folder)
        words = [str(python), "-m", "pip", "install", "--quiet", "--no-input"]
    else:
        raise NoInstaller(Why.NO_PYTHON)
    await _run(run, [*words, "--only-binary", ":all:", "--", *run.specs], folder)
    program = environment / _BIN / (run.entry or run.name)
    if not shutil.which(str(program)):
        raise ValueError(f"it has no program {program.name}")
    about = _dist_info(environment, run.name)
    version = about.name.removesuffix(".dist-info").rpartition("-")[2]
    record = hashlib.sha256((about / "RECORD").read_bytes()).hexdigest()
    return Installed((str(program),), version, f"record-sha256-{record}")


def _dist_info(environment: Path, name: str) -> Path:
    """Where an installed package says what it is, by its name in the one form all names share."""
    wanted = _normal(name)
    for found in environment.glob("[Ll]ib*/**/site-packages/*.dist-info"):
        if _normal(found.name.removesuffix(".dist-info").rpartition("-")[0]) == wanted:
            return found
    raise ValueError(f"{name} is not in what was installed")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


async def _run(run: PackageRun, command: Sequence[str], folder: Path) -> None:
    """Run an installer to its end, in a process group of its own that never outlives this."""
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
            said, _ = await process.communicate()
    except TimeoutError:
        raise _failed(run, f"it took more than {_FETCH_TIMEOUT_S:g} s") from None
    finally:
        await _end(process)
    if process.returncode != 0:
        raise _failed(run, _last_line(said))


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _last_line(said: bytes) -> str:
    """What an installer says first of what went wrong is the best of it."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    wrong = [line for line in lines if "error" in line.lower()]
    return (wrong or lines or ["it said nothing"])[0][:300]


def _failed(run: PackageRun, detail: str) -> UpstreamFailed:
    return failed(Failure(FailureKind.FETCH_FAILED, run.specs[0], detail))
