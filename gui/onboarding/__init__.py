"""The first minutes: servers from other applications, applications connected, the first call."""
