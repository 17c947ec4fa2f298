"""Adding and editing a server, and parsing what people paste."""
