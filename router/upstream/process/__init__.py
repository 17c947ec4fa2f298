"""Servers as child processes: the stdio transport, the process tree, its usage and its end."""
