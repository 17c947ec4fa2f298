"""The projects of a workspace: their servers, permissions and Context Optimization."""
