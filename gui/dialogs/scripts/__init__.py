"""Writing, testing and saving Lua scripts."""
