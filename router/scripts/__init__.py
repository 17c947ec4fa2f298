"""Running scripts: one worker process per script, its limits, and the conversation with it."""
