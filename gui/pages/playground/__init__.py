"""The search playground: what an app would find, and why."""
