"""The benchmarks: calls through Toolbooth and other proxies, search, and the window."""
