"""Settings of a runner that the installer used here would not read.

A private package's name may belong to somebody else in the public registry. So where a runner would
look somewhere else, its command runs as it is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from router.config.server import ServerConfig
from router.discovery.packages.installer_process import registry_needs_secret
from router.discovery.packages.runners import NPM, AsWritten, PackageRun
from router.domain.receipts import Reason, Why

_REGISTRY = re.compile(r"registry|scopes|\bindex|find-links", re.IGNORECASE)
_MAX_BYTES = 256 * 1024


def as_written_because(run: PackageRun, config: ServerConfig, *, has_uv: bool) -> AsWritten | None:
    """Why `run` can't be fetched like any other package of its registry."""
    found = registry_needs_secret(config.env) or next(
        map(str, _settings(run, Path(config.cwd) if config.cwd else None, has_uv)), None
    )
    return AsWritten(Reason(Why.OWN_SETTINGS, (run.runner, found))) if found else None


def _settings(run: PackageRun, cwd: Path | None, has_uv: bool) -> Iterator[Path]:
    home = Path.home()
    config_home = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    folders = (cwd, *cwd.parents) if cwd is not None else ()
    if run.source == NPM:
        yield from _local_program(run, folders)
        if cwd is not None:
            yield from _choosing_registry(cwd / ".npmrc")
    if run.runner.startswith("bun"):
        yield from _choosing_registry(home / ".bunfig.toml", config_home / ".bunfig.toml")
        yield from _choosing_registry(*(folder / "bunfig.toml" for folder in folders[:1]))
    elif run.runner.startswith("yarn"):
        named = (folder / ".yarnrc.yml" for folder in folders)
        yield from _choosing_registry(home / ".yarnrc.yml", home / ".yarnrc", *named)
    elif run.runner.startswith("pnp"):
        yield from _choosing_registry(config_home / "pnpm" / "rc")
    elif run.runner == "uv run":
        yield from (f for folder in folders if (f := folder / "pyproject.toml").is_file())
    if run.runner.startswith("uv") and not has_uv:
        yield from _choosing_registry(config_home / "uv" / "uv.toml", Path("/etc/uv/uv.toml"))


def _local_program(run: PackageRun, folders: tuple[Path, ...]) -> Iterator[Path]:
    """npx prefers a package that is installed in the working directory or above."""
    program = run.entry or run.name.rpartition("/")[2]
    for folder in folders:
        modules = folder / "node_modules"
        yield from (p for p in (modules / ".bin" / program, modules / run.name) if p.exists())


def _choosing_registry(*files: Path) -> Iterator[Path]:
    for file in files:
        try:
            with file.open("rb") as opened:
                text = opened.read(_MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        if _REGISTRY.search(text):
            yield file
