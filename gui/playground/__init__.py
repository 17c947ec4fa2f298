"""The search playground: what would an app find, and why."""
