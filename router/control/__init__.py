"""Commands from the same person's terminal: over a local socket, or straight on the files."""
