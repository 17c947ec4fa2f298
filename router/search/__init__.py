"""Finding the tool: words, meaning, experience and the cloud behind `searching.SearchProvider`."""

import os

# Vectors here are small: several threads would only wait for each other. Read when numpy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
