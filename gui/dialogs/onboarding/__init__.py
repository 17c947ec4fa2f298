"""The first-run guide: import servers, connect apps, check that it works."""
