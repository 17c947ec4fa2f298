"""Fetches a package of the Python index into a virtual environment: only wheels, because a source
package runs code when it is built.

Once the package is there, the environment's own Python is not started any more: a wheel can contain
`.pth` files, which Python executes whenever it starts. pip may start no program at all: it would
build a dependency that is given by its address, whatever its options say.

As `uvx` does, the default Python is tried first, then one that the package asks for.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import shutil
import sys
from pathlib import Path

from router.discovery.packages.installed import Installed, NoInstaller
from router.discovery.packages.installer_output import required_python
from router.discovery.packages.installer_process import Fetch, InstallerFailed
from router.discovery.packages.interpreters import (
    BUNDLED_PIP,
    Interpreter,
    find_interpreters,
    satisfies,
)
from router.discovery.sandbox.sandbox import remove_tree
from router.domain.failures import Failure, FailureKind
from router.domain.receipts import Why
from router.upstream.errors import failed

_BIN = "Scripts" if sys.platform == "win32" else "bin"
_WHEELS_ONLY = ("--only-binary", ":all:", "--")
_BASE = "import sys; print(getattr(sys, '_base_executable', sys.executable))"
_PIP = f"""\
{BUNDLED_PIP}
import runpy
def refuse(event, args):
    if event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork"):
        raise PermissionError("it would have to be built, which runs its code")
sys.path.insert(0, pip)
sys.addaudithook(refuse)
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
_COMPILE = "-I -S -m compileall -q -j 0 --invalidation-mode unchecked-hash".split()


async def install_pypi(fetch: Fetch) -> Installed:
    uv = shutil.which("uv", path=fetch.search_path) if fetch.run.runner != "pipx run" else None
    if uv is None and fetch.run.options:
        raise NoInstaller(Why.NO_UV)
    install = _Uv(fetch, uv) if uv else _Pip(fetch)
    wanted = fetch.run.python or fetch.setting("UV_PYTHON")
    try:
        python = await install.with_python(wanted)
    except InstallerFailed as error:
        needed = required_python(error.output)
        if not needed:
            raise fetch.failed_with(error) from error
        if wanted:
            detail = f"{fetch.run.specs[0]} does not run on {wanted}, which was asked for"
            raise failed(Failure(FailureKind.PYTHON_NEEDED, needed, detail)) from error
        await asyncio.to_thread(remove_tree, fetch.folder / "venv")
        try:
            python = await install.with_python(needed)
        except InstallerFailed as second:
            raise fetch.failed_with(second) from second
    return await _installed(fetch, python)


class _Uv:
    """uv finds or downloads the Python by itself."""

    def __init__(self, fetch: Fetch, uv: str) -> None:
        self._fetch = fetch
        self._uv = uv

    async def with_python(self, wanted: str | None) -> str:
        """Install with the default Python, or one that is `wanted`; the Python that was used."""
        venv = self._fetch.folder / "venv"
        try:
            await self._create(venv, wanted)
        except InstallerFailed:
            if wanted is None:
                raise
            await self._create(venv, (await _suitable(self._fetch, wanted)).path)
        python = venv / _BIN / "python"
        base = (await self._fetch.execute(str(python), "-I", "-S", "-c", _BASE)).strip()
        # Copied, because links would be to the user's cache, where others can change the files.
        mode = () if sys.platform == "darwin" else ("--link-mode", "copy")
        command = (self._uv, "pip", "install", "--quiet", *mode, "--python", str(python))
        options = (*self._fetch.run.options, *_WHEELS_ONLY)
        await self._fetch.execute(*command, *options, *self._fetch.run.specs)
        return base

    async def _create(self, venv: Path, wanted: str | None) -> None:
        chosen = ("--python", wanted) if wanted else ()
        await self._fetch.execute(self._uv, "venv", "--quiet", "--no-project", *chosen, str(venv))


class _Pip:
    """A Python that is installed, with the pip that it brings along."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch

    async def with_python(self, wanted: str | None) -> str:
        base = await _suitable(self._fetch, wanted)
        venv = self._fetch.folder / "venv"
        await self._fetch.execute(base.path, "-I", "-m", "venv", "--without-pip", str(venv))
        python = str(venv / _BIN / "python")
        pip = (python, "-I", "-c", _PIP, "install", "--quiet", "--no-input", "--no-compile")
        await self._fetch.execute(*pip, *_WHEELS_ONLY, *self._fetch.run.specs)
        return base.path


async def _suitable(fetch: Fetch, wanted: str | None) -> Interpreter:
    """The first Python that is `wanted`. Raises `NoInstaller` if there is none at all."""
    versions: list[str] = []
    async for each in find_interpreters(fetch.search_path):
        if wanted is None or satisfies(each, wanted):
            return each
        versions.append(each.version)
    if wanted is None or not versions:
        raise NoInstaller(Why.NO_PYTHON)
    detail = f"found: {', '.join(dict.fromkeys(versions))}"
    raise failed(Failure(FailureKind.PYTHON_NEEDED, wanted, detail))


async def _installed(fetch: Fetch, python: str) -> Installed:
    venv = fetch.folder / "venv"
    [packages] = (*venv.glob("lib/python3*/site-packages"), *venv.glob("Lib/site-packages"))
    with contextlib.suppress(InstallerFailed):  # some packages contain files of another Python
        await fetch.execute(python, *_COMPILE, "-s", f"{packages}", f"{packages}")
    run = fetch.run
    about = _dist_info(packages, run.name)
    version = about.name.removesuffix(".dist-info").rpartition("-")[2]
    record = hashlib.sha256((about / "RECORD").read_bytes()).hexdigest()
    name = run.entry or run.name
    program = shutil.which(str(venv / _BIN / name))
    if program is None:
        raise ValueError(f"it has no program {name}")
    return Installed((program,), version, f"record-sha256-{record}", python)


def _dist_info(packages: Path, name: str) -> Path:
    """The metadata of an installed package, found by its normalized name."""
    wanted = _normalized(name)
    for found in packages.glob("*.dist-info"):
        if _normalized(found.name.removesuffix(".dist-info").rpartition("-")[0]) == wanted:
            return found
    raise ValueError(f"{name} is not in what was installed")


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
