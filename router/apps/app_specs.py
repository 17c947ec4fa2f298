"""Each application as data: its configuration files, the key of its servers, the format of our
entry.

The formats are from the application's documentation or source; where only third parties describe
one, our entry has what they agree on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from router.api.apps import ClientId
from router.apps.config_document import Format
from router.apps.locations import AppLocations
from router.domain.json_values import JsonObject

ENTRY = "toolbooth"
"""The name of our entry in every file."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What our entry refers to; `bridge` is the command for applications without HTTP."""

    url: str
    token: str
    bridge: tuple[str, ...]

    @property
    def headers(self) -> JsonObject:
        return {"Authorization": f"Bearer {self.token}"}


Entry: TypeAlias = Callable[[Endpoint], JsonObject]
Files: TypeAlias = Callable[[AppLocations], Sequence[Path]]


@dataclass(frozen=True, slots=True)
class ClientSpec:
    id: ClientId
    name: str
    keys: tuple[str, ...]
    """The path of the servers in the file."""
    files: Files
    """The first that exists is used; if none does, the first is created."""
    entry: Entry | None = None
    """None: its servers can only be imported."""
    format: Format = Format.JSON
    command: str = ""
    """A program whose presence shows that the application is installed."""
    by_bridge: bool = False


def _url(key: str = "url", **more: object) -> Entry:
    """An entry with our URL under `key`, after the fields of `more`."""

    def entry(at: Endpoint) -> JsonObject:
        return {**more, key: at.url, "headers": at.headers}

    return entry


def _bridge(at: Endpoint) -> JsonObject:
    return {"command": at.bridge[0], "args": list(at.bridge[1:])}


def _claude_code(at: Endpoint) -> JsonObject:
    """`alwaysLoad`, because it defers the tools of all servers and rarely uses deferred ones."""
    return {"type": "http", "url": at.url, "headers": at.headers, "alwaysLoad": True}


def _cline(at: Endpoint) -> JsonObject:
    known = {"type": "streamableHttp", "url": at.url, "headers": at.headers}
    return {**known, "disabled": False, "autoApprove": []}


def _codex(at: Endpoint) -> JsonObject:
    return {"url": at.url, "http_headers": at.headers}


def _copilot(at: Endpoint) -> JsonObject:
    known = {"type": "http", "url": at.url, "headers": at.headers}
    return {**known, "tools": ["*"], "deferTools": "never"}


def _opencode(at: Endpoint) -> JsonObject:
    known = {"type": "remote", "url": at.url, "headers": at.headers}
    return {**known, "oauth": False, "enabled": True}


def _goose(at: Endpoint) -> JsonObject:
    return {
        "name": ENTRY,
        "description": "All MCP servers, through Toolbooth",
        "type": "streamable_http",
        "uri": at.url,
        "headers": at.headers,
        "enabled": True,
        "timeout": 300,
    }


def _claude_desktop_files(at: AppLocations) -> Sequence[Path]:
    name = "claude_desktop_config.json"
    packaged = at.local / "Packages" if at.on_windows else None
    found = sorted(packaged.glob("Claude_*")) if packaged and packaged.is_dir() else []
    stores = [each / "LocalCache" / "Roaming" / "Claude" / name for each in found]
    return (*stores, at.applications / "Claude" / name)


def _zed_files(at: AppLocations) -> Sequence[Path]:
    folder = at.roaming / "Zed" if at.on_windows else at.config / "zed"
    return (folder / "settings.json",)


def _goose_files(at: AppLocations) -> Sequence[Path]:
    if at.on_windows:
        return (at.roaming / "Block" / "goose" / "config" / "config.yaml",)
    return (at.config / "goose" / "config.yaml",)


def _opencode_files(at: AppLocations) -> Sequence[Path]:
    folder = at.config / "opencode"
    return (folder / "opencode.jsonc", folder / "opencode.json")


def _extension_files(extension: str, file: str) -> Files:
    def files(at: AppLocations) -> Sequence[Path]:
        storage = at.applications / "Code" / "User" / "globalStorage"
        return (storage / extension / "settings" / file,)

    return files


def _home(*parts: str) -> Files:
    return lambda at: (at.home.joinpath(*parts),)


def _vs_code(edition: str) -> Files:
    return lambda at: (at.applications / edition / "User" / "mcp.json",)


def _spec(id_: str, name: str, keys: str, files: Files, entry: Entry | None = None) -> ClientSpec:
    return ClientSpec(ClientId(id_), name, (keys,), files, entry)


CLIENTS: tuple[ClientSpec, ...] = (
    ClientSpec(
        ClientId("claude-code"),
        "Claude Code",
        ("mcpServers",),
        _home(".claude.json"),
        _claude_code,
        command="claude",
    ),
    ClientSpec(
        ClientId("claude-desktop"),
        "Claude Desktop",
        ("mcpServers",),
        _claude_desktop_files,
        _bridge,
        by_bridge=True,
    ),
    _spec("cursor", "Cursor", "mcpServers", _home(".cursor", "mcp.json"), _url()),
    _spec("vscode", "VS Code", "servers", _vs_code("Code"), _url(type="http")),
    _spec(
        "vscode-insiders",
        "VS Code Insiders",
        "servers",
        _vs_code("Code - Insiders"),
        _url(type="http"),
    ),
    _spec(
        "windsurf",
        "Windsurf",
        "mcpServers",
        _home(".codeium", "windsurf", "mcp_config.json"),
        _url("serverUrl"),
    ),
    _spec("zed", "Zed", "context_servers", _zed_files, _url()),
    _spec(
        "cline",
        "Cline",
        "mcpServers",
        lambda at: (
            at.named("CLINE_DIR", at.home / ".cline")
            / "data"
            / "settings"
            / "cline_mcp_settings.json",
        ),
        _cline,
    ),
    ClientSpec(
        ClientId("codex"),
        "Codex",
        ("mcp_servers",),
        lambda at: (at.named("CODEX_HOME", at.home / ".codex") / "config.toml",),
        _codex,
        format=Format.TOML,
        command="codex",
    ),
    ClientSpec(
        ClientId("gemini"),
        "Gemini CLI",
        ("mcpServers",),
        _home(".gemini", "settings.json"),
        _url(type="http"),
        command="gemini",
    ),
    ClientSpec(
        ClientId("copilot"),
        "Copilot CLI",
        ("mcpServers",),
        _home(".copilot", "mcp-config.json"),
        _copilot,
        command="copilot",
    ),
    ClientSpec(
        ClientId("opencode"), "opencode", ("mcp",), _opencode_files, _opencode, command="opencode"
    ),
    _spec("lmstudio", "LM Studio", "mcpServers", _home(".lmstudio", "mcp.json"), _url()),
    ClientSpec(
        ClientId("goose"),
        "Goose",
        ("extensions",),
        _goose_files,
        _goose,
        format=Format.YAML,
        command="goose",
    ),
    ClientSpec(
        ClientId("qwen"),
        "Qwen Code",
        ("mcpServers",),
        _home(".qwen", "settings.json"),
        _url("httpUrl"),
        command="qwen",
    ),
    _spec(
        "antigravity",
        "Antigravity",
        "mcpServers",
        _home(".gemini", "config", "mcp_config.json"),
        _url("serverUrl"),
    ),
    # Import only from here on: sources disagree about the format, or it is not meant for programs.
    _spec(
        "cline-vscode",
        "Cline (VS Code)",
        "mcpServers",
        _extension_files("saoudrizwan.claude-dev", "cline_mcp_settings.json"),
    ),
    _spec(
        "roo",
        "Roo Code",
        "mcpServers",
        _extension_files("rooveterinaryinc.roo-cline", "mcp_settings.json"),
    ),
    ClientSpec(
        ClientId("continue"),
        "Continue",
        ("mcpServers",),
        _home(".continue", "config.yaml"),
        format=Format.YAML,
    ),
    _spec("kiro", "Kiro", "mcpServers", _home(".kiro", "settings", "mcp.json")),
    _spec("kimi", "Kimi Code", "mcpServers", _home(".kimi-code", "mcp.json")),
    _spec("amp", "Amp", "amp.mcpServers", lambda at: (at.config / "amp" / "settings.json",)),
    _spec("junie", "Junie", "mcpServers", _home(".junie", "mcp", "mcp.json")),
)

CONNECTABLE: tuple[ClientSpec, ...] = tuple(spec for spec in CLIENTS if spec.entry is not None)
