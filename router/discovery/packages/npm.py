"""Fetches a package of npm's registry, without running its scripts and without git, whose
repositories can bring settings and scripts of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from router.discovery.packages.installed import Installed, NoInstaller
from router.discovery.packages.installer_process import Fetch, InstallerFailed
from router.domain.json_values import as_object
from router.domain.receipts import Why

_OPTIONS = (
    "--ignore-scripts --no-audit --no-fund --no-progress --loglevel=error --no-global "
    "--install-strategy=hoisted --allow-git=none --git=git-is-not-used"
).split()
_NODE_FILES = (".js", ".mjs", ".cjs")
_VERSION = re.compile(r"[\w.+-]{1,100}")


async def install_npm(fetch: Fetch) -> Installed:
    npm, node = (shutil.which(name, path=fetch.search_path) for name in ("npm", "node"))
    if npm is None or node is None:
        raise NoInstaller(Why.NO_NPM)
    run, folder = fetch.run, fetch.folder
    (folder / "package.json").write_text('{"private": true}')
    try:
        await fetch.execute(npm, "install", *_OPTIONS, *run.options, "--", *run.specs)
        # Not a version manager's shim, which chooses another Node.js in another folder.
        node = (await fetch.execute(node, "-p", "process.execPath")).strip()
    except InstallerFailed as error:
        raise fetch.failed_with(error) from error
    lock = as_object(json.loads((folder / "node_modules" / ".package-lock.json").read_bytes()))
    entry = as_object(as_object(lock["packages"])[f"node_modules/{run.name}"])
    home = folder / "node_modules" / run.name
    about = as_object(json.loads((home / "package.json").read_bytes()))
    version = str(entry.get("version") or about.get("version"))
    if not _VERSION.fullmatch(version):
        raise ValueError("its version is invalid")
    return Installed(
        _command(fetch, home, about.get("bin"), node),
        version,
        str(entry.get("integrity", "")),
        node,
    )


def _command(fetch: Fetch, home: Path, bins: object, node: str) -> tuple[str, ...]:
    """The program that npx would choose: the named one, the only one, or the one named like the
    package."""
    short = fetch.run.name.rpartition("/")[2]
    programs = {short: bins} if isinstance(bins, str) else as_object(bins)
    chosen = fetch.run.entry or (short if short in programs else next(iter(programs), ""))
    if chosen in programs:
        script = home / str(programs[chosen])
    elif fetch.run.entry is not None:  # of another package
        script = fetch.folder / "node_modules" / ".bin" / chosen
    else:
        raise ValueError("it has no program")
    script = Path(os.path.realpath(script))
    modules = Path(os.path.realpath(fetch.folder / "node_modules"))
    if not script.is_relative_to(modules) or not script.is_file():
        raise ValueError(f"it has no program {chosen}")
    with script.open("rb") as file:
        first = file.readline(200)
    by_node = b"node" in first if first.startswith(b"#!") else script.suffix in _NODE_FILES
    return (node, str(script)) if by_node else (str(script),)
