"""Pausing Python's garbage collector while many objects are created that contain no cycles."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """Disable collection in a block that decodes much JSON: it creates no cycles, but the number of
    new objects would trigger full collections, which stop every thread."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
