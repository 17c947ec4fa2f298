"""Finding the tool: tokeniser and rankers behind `ports.SearchProvider`. Pure, no I/O."""
