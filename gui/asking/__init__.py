"""Asking the person before a call that needs their yes."""
