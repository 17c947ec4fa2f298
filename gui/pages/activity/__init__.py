"""What apps did, filtered and in full."""
