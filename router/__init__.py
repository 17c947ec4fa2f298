"""The router: aggregates MCP servers and serves them at one local address. Knows nothing of Qt."""

__version__ = "0.1.0"
