"""Calling a tool from the window, with a form made from its input schema."""
