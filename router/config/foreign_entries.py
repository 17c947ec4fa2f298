"""Server entries as other applications write them, normalised to our keys."""

from __future__ import annotations

from typing import cast

from router.domain.json_values import JsonObject, as_array, as_object

GROUPS = (
    "mcpServers",
    "servers",
    "context_servers",
    "mcp_servers",
    "mcp",
    "extensions",
    "amp.mcpServers",
)
"""The keys under which applications keep their servers, as an object or a list."""


def plain_entry(entry: JsonObject) -> JsonObject:
    """What decides how the server is reached, under our keys."""
    command, args = entry.get("command", entry.get("cmd")), as_array(entry.get("args"))
    if isinstance(command, dict):  # Zed, before it flattened this
        inner = as_object(cast(object, command))
        entry = {**entry, "env": inner.get("env")}
        command, args = inner.get("path"), as_array(inner.get("args"))
    if isinstance(command, list):  # opencode
        command, *args = as_array(cast(object, command)) or [None]
    return {
        "command": command,
        "args": args,
        "env": entry.get("env") or entry.get("environment") or entry.get("envs"),
        "cwd": entry.get("cwd"),
        "url": next((entry[k] for k in ("url", "uri", "serverUrl", "httpUrl") if k in entry), None),
        "headers": _headers(entry),
        "disabled": entry.get("disabled") is True or entry.get("enabled") is False,
    }


def _headers(entry: JsonObject) -> JsonObject:
    headers = as_object(
        entry.get("headers")
        or entry.get("http_headers")
        or as_object(entry.get("requestOptions")).get("headers")
    )
    named = as_object(entry.get("env_http_headers")).items()
    bearer = entry.get("bearer_token_env_var")
    extra = {"Authorization": f"Bearer ${{env:{bearer}}}"} if isinstance(bearer, str) else {}
    return {**headers, **{key: f"${{env:{name}}}" for key, name in named}, **extra}
