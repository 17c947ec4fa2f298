"""`toolbooth serve` and signals."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from router.cli import foreground
from router.cli.foreground import serve
from router.runtime.tasks import spawn
from tests.support.timeouts import WAIT_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


class SlowRouter:
    """Never finishes its start."""

    def __init__(self, *_: object, **__: object) -> None:
        self.starting = asyncio.Event()
        self.start_ended = self.stopped = False

    def redact(self, text: str) -> str:
        return text

    async def start(self) -> None:
        self.starting.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.start_ended = True

    async def stop(self) -> None:
        self.stopped = True


async def test_a_signal_during_the_start_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    router = SlowRouter()
    monkeypatch.setattr("router.service.Router", lambda *_, **__: router)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    monkeypatch.setattr(foreground, "_log_to_stderr", lambda: None)
    serving = spawn(serve(tmp_path, 0), name="serve")
    await router.starting.wait()
    os.kill(os.getpid(), signal.SIGTERM)
    assert await asyncio.wait_for(serving, WAIT_S) == 0
    assert router.start_ended
    assert router.stopped
    assert capsys.readouterr().out == ""
