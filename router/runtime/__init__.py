"""What every part of the router runs on: the local IPC."""
