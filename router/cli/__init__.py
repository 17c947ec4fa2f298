"""`toolbooth COMMAND`: the parser, and where a command is carried out."""
