"""Other applications' configuration files: the servers in them, and our own entry."""
