"""A pytest plugin: garbage is collected between tests, on the main thread, as the window does it.

Python collects on whichever thread allocates next. A widget or timer left in a cycle by a test of
the window would be destroyed on a thread of the router, and Qt would crash in a later test.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.disable()
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """A collection of everything takes 40 ms: only after the last test of a module."""
    gc.disable()
    try:
        return (yield)
    finally:
        is_last_of_module = nextitem is None or nextitem.path != item.path
        gc.collect(2 if is_last_of_module else 1)
