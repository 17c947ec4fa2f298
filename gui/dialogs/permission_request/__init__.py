"""The permission request before a call."""
