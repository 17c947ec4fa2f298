"""MCP for clients: sessions, methods, subscriptions, and requests from servers to clients."""
