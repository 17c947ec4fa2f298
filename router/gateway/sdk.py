"""What we use of the MCP SDK: validation of params and of the modern revision's envelope, and the
sealing of `requestState`.

It takes half a second to load, so it is imported where it is used, and in a thread once the
endpoint listens. No other module of the gateway imports the SDK.
"""

from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError as SDKError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
    validate_mcp_param_headers,
)
from mcp_types import (
    InitializeRequestParams,
    SetLevelRequestParams,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)

__all__ = [
    "ERROR_CODE_HTTP_STATUS",
    "InboundLadderRejection",
    "InitializeRequestParams",
    "RequestStateBoundary",
    "RequestStateSecurity",
    "SDKError",
    "SetLevelRequestParams",
    "SubscribeRequestParams",
    "SubscriptionFilter",
    "SubscriptionsListenRequestParams",
    "UnsubscribeRequestParams",
    "classify_inbound_request",
    "find_duplicated_routing_header",
    "unsupported_protocol_version_rejection",
    "validate_mcp_param_headers",
]
