"""Adding and editing a server: from what a person pastes or types to what they agree to."""
