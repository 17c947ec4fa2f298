"""Runs an installer: bounded in time, in its own process group, and with a clean environment."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from router.config.secret_references import secret_references
from router.discovery.packages.installer_output import failure_of_output
from router.discovery.packages.runners import PackageRun
from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.upstream.errors import failed
from router.upstream.process.environment import server_environment
from router.upstream.process.network_variables import is_network_variable, is_registry_variable
from router.upstream.process.spawn import Program, start_program

_FETCH_TIMEOUT_S = 180.0
_FETCH_SETTINGS = re.compile(
    r"npm_config_(//.*|_auth|_authtoken|userconfig|globalconfig|cache|cert|key|email|fetch_\w+"
    r"|maxsockets|min_release_age|before|offline|prefer_offline)"
    r"|npm_\w*token|node_auth_token"
    r"|pip_(config_file|cache_dir|no_cache_dir|client_cert|timeout|default_timeout|retries"
    r"|keyring_provider|constraint|pre|disable_pip_version_check)"
    r"|uv_(config_file|cache_dir|http_timeout|http_retries|keyring_provider|constraint|offline"
    r"|index_\w+_(username|password)|exclude_newer|prerelease|concurrent_\w+"
    r"|python|python_(preference|downloads|install_dir|install_mirror|downloads_json_url)"
    r"|managed_python|no_managed_python)",
    re.IGNORECASE,
)
"""Variables of the user that say where packages and their Python come from, and how long to wait;
not those that would install somewhere else or run code."""


class InstallerFailed(Exception):
    """An installer ended with an error."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output


@dataclass(frozen=True, slots=True)
class Fetch:
    """One package to fetch into the empty `folder`."""

    run: PackageRun
    folder: Path
    search_path: str
    """Where installers and interpreters are looked up."""
    configured: Mapping[str, str] = field(default_factory=dict[str, str])
    """The server's variables as configured, of which those about the network apply."""

    def setting(self, name: str) -> str | None:
        return self.configured.get(name) or os.environ.get(name) or None

    async def execute(self, *command: str) -> str:
        """Run an installer; what it printed. Raises `InstallerFailed` and `UpstreamFailed`."""
        environment = fetch_environment(os.environ, self.configured)
        process = await start_program(
            *command,
            cwd=self.folder,
            env={**environment, "PATH": self.search_path},
            stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(_FETCH_TIMEOUT_S):
                output, _ = await process.communicate()
        except TimeoutError:
            raise self.failed(f"it took more than {_FETCH_TIMEOUT_S:g} s") from None
        finally:
            await _end(process)
        text = output.decode("utf-8", "replace")
        if process.returncode != 0:
            raise InstallerFailed(text)
        return text

    def failed(self, detail: str) -> UpstreamFailed:
        return failed(Failure(FailureKind.FETCH_FAILED, self.run.specs[0], detail))

    def failed_with(self, error: InstallerFailed) -> UpstreamFailed:
        return failed(failure_of_output(self.run.specs[0], error.output))


def fetch_environment(
    ours: Mapping[str, str], configured: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment any server gets, the variables that choose and open the registry, and those
    about the network in the server's own configuration, unless they need a secret."""
    wanted = {
        name: value
        for name, value in ours.items()
        if is_network_variable(name) or _FETCH_SETTINGS.fullmatch(name)
    }
    own = {
        name: value
        for name, value in (configured or {}).items()
        if is_network_variable(name) and not secret_references(value)
    }
    return {**server_environment(ours, {}), **wanted, **own}


def registry_needs_secret(configured: Mapping[str, str]) -> str | None:
    """The variable of a server that chooses its registry with a secret, which no fetch gets."""
    return next(
        (k for k, v in configured.items() if is_registry_variable(k) and secret_references(v)),
        None,
    )


async def _end(process: Program) -> None:
    if process.returncode is None and sys.platform != "win32":
        os.killpg(process.pid, signal.SIGKILL)
    await process.end()
