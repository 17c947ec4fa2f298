"""The link to the router's thread. No other package crosses between threads."""
