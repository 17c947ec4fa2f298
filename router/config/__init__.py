"""The shapes of our files, as pydantic models: settings, workspaces, servers. No I/O."""
