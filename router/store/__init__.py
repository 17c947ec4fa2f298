"""Persistent state: config files, tool lists, consents, tokens, secrets, activity.

Everything here is private to its user (files 0600, folders 0700) and safe against a kill at any
moment. No other package opens one of these files.
"""
