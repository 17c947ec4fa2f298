"""The benchmark: what a call through Toolbooth costs, beside FastMCP's proxy in the same run."""
