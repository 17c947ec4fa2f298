"""What needs attention: computed from snapshots, and how it is worded."""
