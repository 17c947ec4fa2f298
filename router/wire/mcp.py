"""Constants of MCP: revisions, error codes, `_meta` keys, HTTP headers.

Defined here instead of imported, because the SDK takes most of a second to import; a test compares
them with the SDK's.
"""

from __future__ import annotations

import base64
import re
from typing import Any

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions that open with `initialize`, oldest first."""
LATEST_LEGACY_VERSION = LEGACY_VERSIONS[-1]
MODERN_VERSION = "2026-07-28"
"""The revision without sessions: no `initialize`, every request has an envelope in its `_meta`."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_TIMEOUT = -32001
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId"

INPUT_REQUIRED_METHODS = frozenset({"prompts/get", "resources/read", "tools/call"})
"""The methods whose result may be `input_required`."""

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""From the least to the most severe."""

FOLDER_HEADER = "Toolbooth-Folder"
"""Ours: the folder a client works in."""
CLIENT_SESSION_HEADER = "Toolbooth-Session"
"""Ours: identifies the session of a modern client, whose requests have none."""
SESSION_HEADER = "mcp-session-id"
VERSION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The param of a method that its `Mcp-Name` header repeats."""

_PLAIN = re.compile(r"[\x20-\x7E]*")
_WRAPPED = re.compile(r"=\?base64\?.*\?=")


class MCPError(Exception):
    """A request ends with this JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def header_value(text: str) -> str:
    """`text` as a header value: as it is, or in base64 if a header can't carry it."""
    if _PLAIN.fullmatch(text) and text == text.strip() and not _WRAPPED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode('ascii')}?="
