"""Trying a tool: a form made of its schema, and the result as the server gave it."""
