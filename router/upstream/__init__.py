"""Upstreams: live connections to servers over stdio, streamable HTTP and HTTP+SSE, in plain JSON.

A `Peer` matches responses to requests; a `Transport` (stdio, HTTP) carries messages; `handshake`
negotiates the protocol revision. An `UpstreamConnection` is the three together, a
`ManagedConnection` keeps one open, and `UpstreamPool` has them all.
"""
