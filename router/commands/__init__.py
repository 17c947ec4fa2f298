"""The commands of `toolbooth`: each one declared once, with its arguments, handler and output."""
