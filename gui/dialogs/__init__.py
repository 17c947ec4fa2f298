"""Dialogs over the main window. None imports another."""
