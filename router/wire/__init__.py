"""MCP on the wire, shared by gateway, upstream and bridge: JSON-RPC, MCP's constants, lines,
server-sent events and HTTP/1.1 responses. No SDK import.
"""
