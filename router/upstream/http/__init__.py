"""Servers behind HTTP: streamable HTTP, and HTTP+SSE which came before it."""
