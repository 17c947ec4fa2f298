"""Configuration files on disk, written and read by tests."""

from __future__ import annotations

import json
from pathlib import Path

from router.config.server import ServerConfig
from router.domain.ids import WorkspaceId

PERSONAL = WorkspaceId("personal")
WORK = WorkspaceId("work")
TIME = ServerConfig(command="uvx", args=("mcp-server-time",))


def file_of(tmp_path: Path, workspace: WorkspaceId = PERSONAL) -> Path:
    return tmp_path / "workspaces" / workspace / "workspace.json"


def edit(path: Path, text: str) -> None:
    """As an editor that writes in place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def with_server(name: str) -> str:
    return json.dumps({"mcpServers": {name: {"command": "uvx"}}})
