"""Other applications' configuration files: which servers they have, and our own entry in them."""
