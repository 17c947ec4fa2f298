"""The local HTTP endpoint: listener, request checks, authentication, streamable HTTP."""
