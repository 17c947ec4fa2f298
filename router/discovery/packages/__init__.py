"""Servers that are packages: fetched once, with network but without scripts or secrets, then run
from where they lie, so that nothing changes between what was looked at and what runs."""
