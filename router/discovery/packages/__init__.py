"""Servers that are packages: fetched once, with network but without scripts and secrets, then run
from the fetched folder, so that what was vetted is what runs."""
