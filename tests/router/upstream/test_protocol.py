"""Our spelling of the protocol beside the SDK's."""

from __future__ import annotations

import mcp_types as sdk
import pytest
from mcp.shared import inbound
from mcp_types import version

from router.upstream import protocol


def test_our_words_are_the_sdks() -> None:
    assert protocol.LEGACY_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.MODERN_VERSION == version.LATEST_MODERN_VERSION
    assert protocol.VERSION_KEY == sdk.PROTOCOL_VERSION_META_KEY
    assert protocol.CLIENT_INFO_KEY == sdk.CLIENT_INFO_META_KEY
    assert protocol.CLIENT_CAPABILITIES_KEY == sdk.CLIENT_CAPABILITIES_META_KEY
    assert protocol.SERVER_INFO_KEY == sdk.SERVER_INFO_META_KEY
    assert protocol.UNSUPPORTED_VERSION == sdk.UNSUPPORTED_PROTOCOL_VERSION
    assert protocol.HEADER_MISMATCH == sdk.HEADER_MISMATCH
    assert protocol.METHOD_NOT_FOUND == sdk.METHOD_NOT_FOUND
    assert protocol.VERSION_HEADER == inbound.MCP_PROTOCOL_VERSION_HEADER
    assert protocol.METHOD_HEADER == inbound.MCP_METHOD_HEADER
    assert protocol.NAME_HEADER == inbound.MCP_NAME_HEADER
    assert dict(inbound.NAME_BEARING_METHODS) == protocol.NAMED_BY


@pytest.mark.parametrize(
    "text", ["echo", "", "two words", " edge ", "näme", "a\nb", "=?base64?eA==?=", "日本語"]
)
def test_a_name_survives_the_header(text: str) -> None:
    assert protocol.header_value(text) == inbound.encode_header_value(text)
    assert inbound.decode_header_value(protocol.header_value(text)) == text
