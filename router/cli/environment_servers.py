"""Servers given by environment variables, for running without a window: `GITHUB_MCP_URL` is the
address of a server named github, `GITHUB_API_KEY` its bearer token and `GITHUB_MCP_ENABLED` whether
it is on.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping

from pydantic import ValidationError

from router.config.server import ServerConfig

log = logging.getLogger(__name__)

_URL_VARIABLE = re.compile(r"([A-Z][A-Z0-9_]*)_MCP_URL")
_OURSELVES = "TOOLBOOTH"
_NO = frozenset({"0", "false", "no", "off"})


def servers_of_environment(environment: Mapping[str, str]) -> dict[str, ServerConfig]:
    """The servers by name, sorted; the value of an API key is read only when one connects."""
    found = (_URL_VARIABLE.fullmatch(variable) for variable in sorted(environment))
    prefixes = [match.group(1) for match in found if match and match.group(1) != _OURSELVES]
    servers = {prefix.lower(): _server(prefix, environment) for prefix in prefixes}
    return {name: server for name, server in servers.items() if server is not None}


def _server(prefix: str, environment: Mapping[str, str]) -> ServerConfig | None:
    key = f"{prefix}_API_KEY"
    headers = {"Authorization": f"Bearer ${{env:{key}}}"} if environment.get(key) else {}
    disabled = environment.get(f"{prefix}_MCP_ENABLED", "").strip().lower() in _NO
    try:
        url = environment[f"{prefix}_MCP_URL"]
        return ServerConfig(url=url, headers=headers, disabled=disabled)
    except ValidationError:
        log.warning("%s_MCP_URL is not a valid address and is ignored", prefix)
        return None
