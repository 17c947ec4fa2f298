"""Signing in to servers with OAuth: discovery, registration, PKCE, tokens that renew themselves.

The SDK's own flow waits for a person inside a request and opens what the server names; here a
request only ever uses what is there, and a person signs in when they ask to.
"""
