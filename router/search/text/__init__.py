"""Text analysis: words, tokens, stems, synonyms, spelling. Knows nothing of tools or arrays."""
