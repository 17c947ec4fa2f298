"""Checks a server's tool list before anything else uses it.

Every text is cleaned of hidden characters and HTML, cut to the limits and searched for poisoning.
Pure functions on plain JSON (`preparation`), run in a separate process (`process`, `worker`).
"""
