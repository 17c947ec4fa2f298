"""Receipts: what a server tried while its tools were listed, and what protected the computer."""
