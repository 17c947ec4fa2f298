"""Python's garbage collector, told to wait while much is read that is no garbage."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """Nothing in JSON is a cycle, but so many new objects would make Python look for some in the
    whole process, and hold everybody up for that."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
