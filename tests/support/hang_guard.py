"""A pytest plugin: a test that hangs ends its process, so that the run ends.

pytest-timeout fails a test that takes too long, but it is disarmed once the test has failed: a
fixture that then waits for ever, or a thread nobody can join, would keep the run from ending.
What takes `GRACE_S` longer than pytest-timeout allows ends the process with the stacks of all
threads; the run ends with it, and names the test. The process that only waits for workers has
the limit of the whole run. What a run leaves behind is killed when it has ended.
"""

from __future__ import annotations

import faulthandler
import os
import secrets
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import pytest

from tests.support import leftover_killer

GRACE_S = 60


class HangGuard:
    def __init__(self, config: pytest.Config) -> None:
        # A copy: the descriptor itself is redirected while a test's output is captured.
        self._stderr = os.dup(2)
        self._default_s = float(config.getini("timeout"))
        self._is_worker = hasattr(config, "workerinput")
        self._limit_s = self._default_s + GRACE_S
        if not self._is_worker:
            self._kill_leftovers()
            # Until the first test of this process, of which there is none if it has workers.
            self._arm(float(config.getini("session_timeout")) + self._limit_s)

    def _kill_leftovers(self) -> None:
        mark = os.environ[leftover_killer.VARIABLE] = secrets.token_hex(8)
        nothing = subprocess.DEVNULL
        self._killer = subprocess.Popen(
            [sys.executable, leftover_killer.__file__, mark],
            stdin=subprocess.PIPE,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,  # Ctrl+C ends the run, not this
        )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        marker = item.get_closest_marker("timeout")
        self._limit_s = (marker.args[0] if marker else self._default_s) + GRACE_S
        self._arm(self._limit_s)
        try:
            return (yield)
        finally:
            faulthandler.cancel_dump_traceback_later()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_exception_interact(self) -> Generator[None, Any, Any]:
        """pytest disarms every timer when a test has failed; its fixtures are still to be torn
        down."""
        try:
            return (yield)
        finally:
            self._arm(self._limit_s)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """At exit Python joins threads. A worker may wait for others: they end it."""
        if not self._is_worker:
            self._arm(GRACE_S)

    def _arm(self, limit_s: float) -> None:
        faulthandler.dump_traceback_later(limit_s, exit=True, file=self._stderr)


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("usepdb"):
        config.pluginmanager.register(HangGuard(config), "hang-guard")
