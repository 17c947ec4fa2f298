"""Pausing Python's garbage collector while many objects are created that stay."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """Disable collection in a block that decodes much JSON or loads modules: it creates no garbage
    in cycles, but the number of new objects would trigger full collections, which stop every
    thread and take a tenth of the time of an import."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
