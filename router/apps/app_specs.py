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


@dataclass(frozen=True, slots=True)
class ClientSpec:
    id: str
    name: str
    file: str | Callable[[AppLocations], Sequence[Path]]
    """A path that begins with a folder of `AppLocations`; or a function, where that is not enough:
    the first file that exists is used; if none does, the first is created."""
    entry: Entry | None = None
    """None: its servers can only be imported."""
    keys: tuple[str, ...] = ("mcpServers",)
    """The path of the servers in the file."""
    format: Format = Format.JSON
    command: str = ""
    """A program whose presence shows that the application is installed."""
    by_bridge: bool = False

    def files(self, at: AppLocations) -> Sequence[Path]:
        if isinstance(self.file, str):
            folder, _, rest = self.file.partition("/")
            return [getattr(at, folder) / rest]
        return self.file(at)


def _url_entry(to: EntryTarget) -> JsonObject:
    return {"url": to.url, "headers": to.headers}


def _http_entry(to: EntryTarget) -> JsonObject:
    return {"type": "http", "url": to.url, "headers": to.headers}


def _server_url_entry(to: EntryTarget) -> JsonObject:
    return {"serverUrl": to.url, "headers": to.headers}


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


def _codex_files(at: AppLocations) -> Sequence[Path]:
    return [at.named("CODEX_HOME", at.home / ".codex") / "config.toml"]


_EXTENSIONS = "applications/Code/User/globalStorage"
"""The files of VS Code's extensions."""

CLIENTS: tuple[ClientSpec, ...] = (
    ClientSpec(
        "claude-code", "Claude Code", "home/.claude.json", _claude_code_entry, command="claude"
    ),
    ClientSpec(
        "claude-desktop",
        "Claude Desktop",
        _claude_desktop_files,
        lambda to: {"command": to.bridge[0], "args": list(to.bridge[1:])},
        by_bridge=True,
    ),
    ClientSpec("cursor", "Cursor", "home/.cursor/mcp.json", _url_entry),
    ClientSpec("vscode", "VS Code", "applications/Code/User/mcp.json", _http_entry, ("servers",)),
    ClientSpec(
        "vscode-insiders",
        "VS Code Insiders",
        "applications/Code - Insiders/User/mcp.json",
        _http_entry,
        ("servers",),
    ),
    ClientSpec("windsurf", "Windsurf", "home/.codeium/windsurf/mcp_config.json", _server_url_entry),
    ClientSpec("zed", "Zed", _zed_files, _url_entry, ("context_servers",)),
    ClientSpec("cline", "Cline", _cline_files, _cline_entry),
    ClientSpec(
        "codex",
        "Codex",
        _codex_files,
        lambda to: {"url": to.url, "http_headers": to.headers},
        ("mcp_servers",),
        Format.TOML,
        command="codex",
    ),
    ClientSpec("gemini", "Gemini CLI", "home/.gemini/settings.json", _http_entry, command="gemini"),
    ClientSpec(
        "copilot",
        "Copilot CLI",
        "home/.copilot/mcp-config.json",
        lambda to: {**_http_entry(to), "tools": ["*"], "deferTools": "never"},
        command="copilot",
    ),
    ClientSpec(
        "opencode", "opencode", _opencode_files, _opencode_entry, ("mcp",), command="opencode"
    ),
    ClientSpec("lmstudio", "LM Studio", "home/.lmstudio/mcp.json", _url_entry),
    ClientSpec(
        "goose", "Goose", _goose_files, _goose_entry, ("extensions",), Format.YAML, command="goose"
    ),
    ClientSpec(
        "qwen",
        "Qwen Code",
        "home/.qwen/settings.json",
        lambda to: {"httpUrl": to.url, "headers": to.headers},
        command="qwen",
    ),
    ClientSpec(
        "antigravity", "Antigravity", "home/.gemini/config/mcp_config.json", _server_url_entry
    ),
    # Import only from here on: sources disagree about the format, or it is not meant for programs.
    ClientSpec(
        "cline-vscode",
        "Cline (VS Code)",
        f"{_EXTENSIONS}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    ),
    ClientSpec(
        "roo", "Roo Code", f"{_EXTENSIONS}/rooveterinaryinc.roo-cline/settings/mcp_settings.json"
    ),
    ClientSpec("continue", "Continue", "home/.continue/config.yaml", format=Format.YAML),
    ClientSpec("kiro", "Kiro", "home/.kiro/settings/mcp.json"),
    ClientSpec("kimi", "Kimi Code", "home/.kimi-code/mcp.json"),
    ClientSpec("amp", "Amp", "config/amp/settings.json", keys=("amp.mcpServers",)),
    ClientSpec("junie", "Junie", "home/.junie/mcp/mcp.json"),
)

CONNECTABLE: tuple[ClientSpec, ...] = tuple(spec for spec in CLIENTS if spec.entry is not None)
