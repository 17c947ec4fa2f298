"""Our constants of MCP compared with the SDK's."""

from __future__ import annotations

import mcp_types as sdk
import pytest
from mcp.shared import inbound, subscriptions
from mcp_types import methods, version

from router.wire import mcp


def test_our_constants_match_the_sdk() -> None:
    assert mcp.LEGACY_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert mcp.MODERN_VERSION == version.LATEST_MODERN_VERSION
    assert mcp.VERSION_KEY == sdk.PROTOCOL_VERSION_META_KEY
    assert mcp.CLIENT_INFO_KEY == sdk.CLIENT_INFO_META_KEY
    assert mcp.CLIENT_CAPABILITIES_KEY == sdk.CLIENT_CAPABILITIES_META_KEY
    assert mcp.SERVER_INFO_KEY == sdk.SERVER_INFO_META_KEY
    assert mcp.UNSUPPORTED_VERSION == sdk.UNSUPPORTED_PROTOCOL_VERSION
    assert mcp.HEADER_MISMATCH == sdk.HEADER_MISMATCH
    assert mcp.METHOD_NOT_FOUND == sdk.METHOD_NOT_FOUND
    assert mcp.PARSE_ERROR == sdk.PARSE_ERROR
    assert mcp.INVALID_REQUEST == sdk.INVALID_REQUEST
    assert mcp.INVALID_PARAMS == sdk.INVALID_PARAMS
    assert mcp.INTERNAL_ERROR == sdk.INTERNAL_ERROR
    assert mcp.REQUEST_TIMEOUT == sdk.REQUEST_TIMEOUT
    assert mcp.LOG_LEVEL_KEY == sdk.LOG_LEVEL_META_KEY
    assert mcp.SUBSCRIPTION_ID_KEY == subscriptions.SUBSCRIPTION_ID_META_KEY
    assert mcp.INPUT_REQUIRED_METHODS == methods.INPUT_REQUIRED_METHODS
    assert mcp.VERSION_HEADER == inbound.MCP_PROTOCOL_VERSION_HEADER
    assert mcp.METHOD_HEADER == inbound.MCP_METHOD_HEADER
    assert mcp.NAME_HEADER == inbound.MCP_NAME_HEADER
    assert dict(inbound.NAME_BEARING_METHODS) == mcp.NAMED_BY


@pytest.mark.parametrize(
    "text", ["echo", "", "two words", " edge ", "näme", "a\nb", "=?base64?eA==?=", "日本語"]
)
def test_a_name_survives_the_header(text: str) -> None:
    assert mcp.header_value(text) == inbound.encode_header_value(text)
    assert inbound.decode_header_value(mcp.header_value(text)) == text
