"""The pages of the main window. None imports another."""
