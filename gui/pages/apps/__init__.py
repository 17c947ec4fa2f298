"""The connected apps."""
