"""What several pages and dialogs share."""
