"""Fetches a package into a folder of its own: with network, without running any of its code.

The user's settings (npmrc, pip and uv configuration) choose the registry. The server's environment,
and so its secrets, are not passed on, except literal settings of the network.
"""

from __future__ import annotations

from router.discovery.packages.installed import Installed
from router.discovery.packages.installer_process import Fetch
from router.discovery.packages.npm import install_npm
from router.discovery.packages.pypi import install_pypi
from router.discovery.packages.runners import NPM


async def install(fetch: Fetch) -> Installed:
    """Fetch into the empty folder. Raises `UpstreamFailed` or `NoInstaller`."""
    try:
        return await (install_npm if fetch.run.source == NPM else install_pypi)(fetch)
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise fetch.failed(f"the downloaded package can't be used ({error})") from error
