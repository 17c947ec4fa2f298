"""OAuth for servers: discovery, client registration, PKCE, and tokens that are refreshed in time.

The SDK's own flow waits for the user inside a request and opens any URL the server names. Here a
request only uses existing tokens, and a sign-in starts when the user asks for it.
"""
