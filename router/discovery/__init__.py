"""Learning what a server offers, in the background, and keeping it."""
