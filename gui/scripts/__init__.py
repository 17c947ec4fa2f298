"""The scripts a person keeps: writing them, trying them out."""
