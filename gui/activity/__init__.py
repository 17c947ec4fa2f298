"""What apps did: the card of the main window, and the page with filters and details."""
