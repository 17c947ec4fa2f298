"""Other applications: which can be connected, what that changes, and how it is undone."""
