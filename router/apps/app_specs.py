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
class EntryTarget:
    """What our entry refers to; `bridge` is the command for applications without HTTP."""

    url: str
    token: str
    bridge: tuple[str, ...]

    @property
    def headers(self) -> JsonObject:
        return {"Authorization": f"Bearer {self.token}"}


Entry: TypeAlias = Callable[[EntryTarget], JsonObject]
Files: TypeAlias = Callable[[AppLocations], Sequence[Path]]


@dataclass(frozen=True, slots=True)
class ClientSpec:
    id: ClientId
    name: str
    files: Files
    """The first that exists is used; if none does, the first is created."""
    entry: Entry | None = None
    """None: its servers can only be imported."""
    keys: tuple[str, ...] = ("mcpServers",)
    """The path of the servers in the file."""
    format: Format = Format.JSON
    command: str = ""
    """A program whose presence shows that the application is installed."""
    by_bridge: bool = False


def _url_entry(to: EntryTarget) -> JsonObject:
    return {"url": to.url, "headers": to.headers}


def _http_entry(to: EntryTarget) -> JsonObject:
    return {"type": "http", "url": to.url, "headers": to.headers}


def _claude_code_entry(to: EntryTarget) -> JsonObject:
    """`alwaysLoad`, because it defers the tools of all servers and rarely uses deferred ones."""
    return {**_http_entry(to), "alwaysLoad": True}


def _cline_entry(to: EntryTarget) -> JsonObject:
    entry = {"type": "streamableHttp", "url": to.url, "headers": to.headers}
    return {**entry, "disabled": False, "autoApprove": []}


def _opencode_entry(to: EntryTarget) -> JsonObject:
    entry = {"type": "remote", "url": to.url, "headers": to.headers}
    return {**entry, "oauth": False, "enabled": True}


def _goose_entry(to: EntryTarget) -> JsonObject:
    return {
        "name": ENTRY,
        "description": "All MCP servers, through Toolbooth",
        "type": "streamable_http",
        "uri": to.url,
        "headers": to.headers,
        "enabled": True,
        "timeout": 300,
    }


def _claude_desktop_files(at: AppLocations) -> Sequence[Path]:
    name = "claude_desktop_config.json"
    stores = sorted(at.local.glob("Packages/Claude_*")) if at.on_windows else []
    packaged = [store / "LocalCache/Roaming/Claude" / name for store in stores]
    return (*packaged, at.applications / "Claude" / name)


def _zed_files(at: AppLocations) -> Sequence[Path]:
    folder = at.roaming / "Zed" if at.on_windows else at.config / "zed"
    return [folder / "settings.json"]


def _goose_files(at: AppLocations) -> Sequence[Path]:
    folder = at.roaming / "Block/goose/config" if at.on_windows else at.config / "goose"
    return [folder / "config.yaml"]


def _opencode_files(at: AppLocations) -> Sequence[Path]:
    return [at.config / "opencode" / name for name in ("opencode.jsonc", "opencode.json")]


def _cline_files(at: AppLocations) -> Sequence[Path]:
    folder = at.named("CLINE_DIR", at.home / ".cline")
    return [folder / "data/settings/cline_mcp_settings.json"]


def _extension_file(path: str) -> Files:
    """A file of an extension of VS Code."""
    return lambda at: [at.applications / "Code/User/globalStorage" / path]


CLIENTS: tuple[ClientSpec, ...] = (
    ClientSpec(
        ClientId("claude-code"),
        "Claude Code",
        lambda at: [at.home / ".claude.json"],
        _claude_code_entry,
        command="claude",
    ),
    ClientSpec(
        ClientId("claude-desktop"),
        "Claude Desktop",
        _claude_desktop_files,
        lambda to: {"command": to.bridge[0], "args": list(to.bridge[1:])},
        by_bridge=True,
    ),
    ClientSpec(ClientId("cursor"), "Cursor", lambda at: [at.home / ".cursor/mcp.json"], _url_entry),
    ClientSpec(
        ClientId("vscode"),
        "VS Code",
        lambda at: [at.applications / "Code/User/mcp.json"],
        _http_entry,
        ("servers",),
    ),
    ClientSpec(
        ClientId("vscode-insiders"),
        "VS Code Insiders",
        lambda at: [at.applications / "Code - Insiders/User/mcp.json"],
        _http_entry,
        ("servers",),
    ),
    ClientSpec(
        ClientId("windsurf"),
        "Windsurf",
        lambda at: [at.home / ".codeium/windsurf/mcp_config.json"],
        lambda to: {"serverUrl": to.url, "headers": to.headers},
    ),
    ClientSpec(ClientId("zed"), "Zed", _zed_files, _url_entry, ("context_servers",)),
    ClientSpec(ClientId("cline"), "Cline", _cline_files, _cline_entry),
    ClientSpec(
        ClientId("codex"),
        "Codex",
        lambda at: [at.named("CODEX_HOME", at.home / ".codex") / "config.toml"],
        lambda to: {"url": to.url, "http_headers": to.headers},
        ("mcp_servers",),
        Format.TOML,
        command="codex",
    ),
    ClientSpec(
        ClientId("gemini"),
        "Gemini CLI",
        lambda at: [at.home / ".gemini/settings.json"],
        _http_entry,
        command="gemini",
    ),
    ClientSpec(
        ClientId("copilot"),
        "Copilot CLI",
        lambda at: [at.home / ".copilot/mcp-config.json"],
        lambda to: {**_http_entry(to), "tools": ["*"], "deferTools": "never"},
        command="copilot",
    ),
    ClientSpec(
        ClientId("opencode"),
        "opencode",
        _opencode_files,
        _opencode_entry,
        ("mcp",),
        command="opencode",
    ),
    ClientSpec(
        ClientId("lmstudio"), "LM Studio", lambda at: [at.home / ".lmstudio/mcp.json"], _url_entry
    ),
    ClientSpec(
        ClientId("goose"),
        "Goose",
        _goose_files,
        _goose_entry,
        ("extensions",),
        Format.YAML,
        command="goose",
    ),
    ClientSpec(
        ClientId("qwen"),
        "Qwen Code",
        lambda at: [at.home / ".qwen/settings.json"],
        lambda to: {"httpUrl": to.url, "headers": to.headers},
        command="qwen",
    ),
    ClientSpec(
        ClientId("antigravity"),
        "Antigravity",
        lambda at: [at.home / ".gemini/config/mcp_config.json"],
        lambda to: {"serverUrl": to.url, "headers": to.headers},
    ),
    # Import only from here on: sources disagree about the format, or it is not meant for programs.
    ClientSpec(
        ClientId("cline-vscode"),
        "Cline (VS Code)",
        _extension_file("saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
    ),
    ClientSpec(
        ClientId("roo"),
        "Roo Code",
        _extension_file("rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
    ),
    ClientSpec(
        ClientId("continue"),
        "Continue",
        lambda at: [at.home / ".continue/config.yaml"],
        format=Format.YAML,
    ),
    ClientSpec(ClientId("kiro"), "Kiro", lambda at: [at.home / ".kiro/settings/mcp.json"]),
    ClientSpec(ClientId("kimi"), "Kimi Code", lambda at: [at.home / ".kimi-code/mcp.json"]),
    ClientSpec(
        ClientId("amp"),
        "Amp",
        lambda at: [at.config / "amp/settings.json"],
        keys=("amp.mcpServers",),
    ),
    ClientSpec(ClientId("junie"), "Junie", lambda at: [at.home / ".junie/mcp/mcp.json"]),
)

CONNECTABLE: tuple[ClientSpec, ...] = tuple(spec for spec in CLIENTS if spec.entry is not None)
