"""Calling a tool by hand, with a form made from its input schema."""
