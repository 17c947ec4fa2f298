"""Looking at what servers say before anyone else does: cleaned, bounded, and searched for traps.

Pure functions on plain JSON, run in a process of their own by `router.discovery.vetting`.
"""
