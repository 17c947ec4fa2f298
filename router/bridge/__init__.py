"""`toolbooth connect`: for clients that can only start a program, stdio on one side and our HTTP
endpoint on the other. Light, because it starts with every conversation: no Qt, no SDK."""
