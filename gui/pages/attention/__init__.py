"""The page that lists everything that needs attention."""
