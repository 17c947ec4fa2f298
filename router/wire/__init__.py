"""JSON-RPC, MCP's names and framing on the wire, shared by gateway, upstream and bridge. No SDK
import.
"""
