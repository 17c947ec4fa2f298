"""Upstreams: live connections to servers over stdio, streamable HTTP and HTTP+SSE, in plain JSON.

A `Peer` correlates requests and answers; a link (`stdio`, `http`) carries messages; `handshake`
finds the common protocol revision; `Connection` is the three together; `UpstreamPool` has them all.
"""
