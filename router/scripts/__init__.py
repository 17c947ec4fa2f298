"""Runs Lua scripts: one worker process per script, its limits, and the protocol with it."""
