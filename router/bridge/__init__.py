"""`toolbooth connect`: relays stdio to our HTTP endpoint, for clients that can only start a
program. Light, because every session starts one: no Qt, no SDK."""
