"""The projects of a workspace: servers, options, rules, permissions."""
