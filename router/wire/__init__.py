"""The words and framing of MCP on the wire, shared by gateway, upstream and bridge. No SDK
import.
"""
