"""A real server whose tools a test sets, and can change while it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from router.config.server import ServerConfig
from router.domain.json_values import JsonObject
from tests.support.running_router import stdio_config

_SCRIPT = Path(__file__).parents[1] / "servers" / "listed_server.py"


class ListedServer:
    def __init__(self, path: Path) -> None:
        self._path = path

    def has(self, *tools: JsonObject, **more: Any) -> None:
        """Set its tools; `more` is added to the response."""
        wires = [{"inputSchema": {"type": "object"}, **tool} for tool in tools]
        changed = self._path.with_suffix(".new")
        changed.write_text(json.dumps({"tools": wires, **more}))
        changed.replace(self._path)

    @property
    def config(self) -> ServerConfig:
        return stdio_config(str(self._path), script=_SCRIPT)

    @property
    def times_asked(self) -> int:
        asked = self._path.with_suffix(".asked")
        return len(asked.read_text().splitlines()) if asked.exists() else 0
