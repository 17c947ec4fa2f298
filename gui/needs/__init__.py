"""Needs you: everything that waits for the person, in one place."""
