"""`toolbooth COMMAND`: the command line's grammar, what it does, what it prints."""
