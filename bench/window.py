"""`python -m bench.window`: whether the window stays responsive.

The real application on an X server: 5,000 tools in its list, simulated typing into the filter, and
a client in another process that makes 100 calls a second. A timer of 16 ms records each gap, and
how long the threads of window and router were runnable but not scheduled. Other programs cause
that part, so it is subtracted. No remaining gap may exceed 100 ms, and no step of the filter 25 ms.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, Qt, QTimer, Signal
from qasync import QEventLoop  # pyright: ignore[reportMissingTypeStubs]

from bench.peers import Toolbooth
from bench.upstreams import stdio_upstream
from gui.application import Application, DesktopApplication
from gui.widgets.search_field import SearchField
from router.config.settings import Settings
from router.domain.tools import ToolView
from router.service import Router

SERVERS = {"many": 1999, "more": 1999, "rest": 999}
"""The tools of each, in addition to `echo`."""
CALLS_PER_S = 100
TICK_MS = 16
TYPING_MS = 400
WORDS = ("i", "iss", "issue", "issue br", "zzz", "", "f", "file", "file 9", "")
LONGEST_GAP_MS, LONGEST_STEP_MS = 100, 25


@dataclass(frozen=True, slots=True)
class Interval:
    """How long a gap or a step took."""

    wall_ms: float
    window_ms: float
    """CPU time of the window's thread."""
    waited_ms: float
    """How long window and router waited for a processor."""

    @property
    def own_ms(self) -> float:
        return max(self.window_ms, self.wall_ms - self.waited_ms)


class Stopwatch:
    """Made on the window's thread, once the router has its own."""

    def __init__(self) -> None:
        names = ("MainThread", "router")
        threads = [thread.native_id for thread in threading.enumerate() if thread.name in names]
        paths = [f"/proc/self/task/{thread}/schedstat" for thread in threads]
        self._waits = [os.open(path, os.O_RDONLY) for path in paths]
        self._last = self._now()

    def lap(self) -> Interval:
        last, self._last = self._last, self._now()
        return Interval(*(1000 * (new - old) for new, old in zip(self._last, last, strict=True)))

    def _now(self) -> tuple[float, float, float]:
        # One system call each: in each of them the other threads may take the interpreter.
        waited_ns = sum(int(os.pread(wait, 100, 0).split()[1]) for wait in self._waits)
        return time.perf_counter(), time.thread_time(), waited_ns / 1e9


@dataclass(frozen=True, slots=True)
class Report:
    tools: int
    calls_per_s: float
    early: Sequence[Interval]
    """The gaps from the start until the client's first call."""
    gaps: Sequence[Interval]
    steps: Sequence[Interval]

    def within_limits(self) -> bool:
        gap = _longest([*self.early, *self.gaps])
        return gap <= LONGEST_GAP_MS and _longest(self.steps) <= LONGEST_STEP_MS

    def as_text(self) -> str:
        return "\n".join(
            (
                f"{self.tools:,} tools in the list, {self.calls_per_s:.0f} calls a second",
                f"{'':18}{'times':>7}{'p50':>8}{'p99':>8}{'longest':>9}{'own part':>12}   ms",
                _line("gap while starting", self.early),
                _line("gap between ticks", self.gaps),
                _line("step of the filter", self.steps),
            )
        )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.window", description=__doc__)
    parser.add_argument("--seconds", type=int, default=20, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("build/bench-window.json"), metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="toolbooth-bench-") as folder, ExitStack() as stack:
        if not os.environ.get("DISPLAY"):
            os.environ["DISPLAY"] = stack.enter_context(x_display())
        report = measure(Path(folder), options.seconds)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(asdict(report), indent=2) + "\n")
    print(report.as_text())
    return 0 if report.within_limits() else 1


def measure(folder: Path, seconds: int) -> Report:
    upstreams = [stdio_upstream(name, "--tools", str(count)) for name, count in SERVERS.items()]
    token = Toolbooth(folder, upstreams).token
    known = Settings(welcome_shown=True)  # A user with 5,000 tools has seen the welcome.
    (folder / "settings.json").write_text(known.model_dump_json(by_alias=True))
    app = DesktopApplication(["toolbooth"])

    async def open_router() -> Router:
        watcher.router = Router(folder, port=0, attended=True)
        return watcher.router

    with QEventLoop(app) as loop:
        application = Application(app, open_router, known, stop_loop=loop.stop)
        watcher = Watcher(application, token, seconds)
        watcher.finished.connect(loop.stop)
        application.start(hidden=False)
        watcher.start()
        loop.run_forever()
        application.shut_down()
    return watcher.report()


class Watcher(QObject):
    """Measures gaps from the start on; once the router has its tools, types into their filter
    while a client calls."""

    finished = Signal()

    def __init__(self, application: Application, token: str, seconds: int) -> None:
        super().__init__()
        self.router: Router | None = None
        self._application = application
        self._token = token
        self._seconds = seconds
        self._early: list[Interval] = []
        self._gaps: list[Interval] = []
        self._steps: list[Interval] = []
        self._words = itertools.cycle(WORDS)
        self._tools: list[ToolView] = []
        self._calls_per_s = 0.0
        self._load = QProcess(self)
        self._load.setProcessChannelMode(QProcess.ProcessChannelMode.ForwardedErrorChannel)
        self._into = self._early

    def start(self) -> None:
        self._watch, self._step_watch = Stopwatch(), Stopwatch()
        self._every(TICK_MS, lambda: self._into.append(self._watch.lap()))
        self._waiting = self._every(100, self._begin)

    def report(self) -> Report:
        return Report(len(self._tools), self._calls_per_s, self._early, self._gaps, self._steps)

    def _every(self, interval_ms: int, call: Callable[[], object]) -> QTimer:
        timer = QTimer(self, interval=interval_ms, timerType=Qt.TimerType.PreciseTimer)
        timer.timeout.connect(call)
        timer.start()
        return timer

    def _begin(self) -> None:
        router, page = self.router, self._application.windows.main.pages.workspace
        if router is None or not page.isVisible() or not self._fill(router):
            return
        self._waiting.stop()
        words = [router.endpoint.state().url or "", self._token, "rest:echo", str(CALLS_PER_S)]
        self._load.readyReadStandardOutput.connect(self._start_typing)
        self._load.start(sys.executable, ["-m", "bench.window_load", *words])

    def _fill(self, router: Router) -> bool:
        """Put the tools of all servers into one list: more than a single server may have."""
        servers = router.servers.list(router.workspaces.active())
        self._tools = [tool for server in servers for tool in router.tools.list(server.ref)]
        self._list = self._application.windows.main.pages.workspace.detail.tools
        self._list.set_tools(self._tools)
        return len(self._tools) >= sum(SERVERS.values())

    def _start_typing(self) -> None:
        """Called when the client has made its first call."""
        self._load.readyReadStandardOutput.disconnect(self._start_typing)
        self._load.readAll()
        self._into = self._gaps
        self._every(TYPING_MS, self._type)
        QTimer.singleShot(1000 * self._seconds, self, self._end)

    def _type(self) -> None:
        field = self._list.findChild(SearchField)
        assert isinstance(field, SearchField)
        field.setText(next(self._words))
        self._step_watch.lap()
        self._list.apply_filter()
        self._steps.append(self._step_watch.lap())

    def _end(self) -> None:
        for timer in self.findChildren(QTimer):
            timer.stop()
        self._load.closeWriteChannel()
        self._load.waitForFinished()
        self._calls_per_s = json.loads(bytes(self._load.readAll().data()))["calls_per_s"]
        self.finished.emit()


@contextmanager
def x_display() -> Generator[str]:
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1200x24"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        try:
            with os.fdopen(reading) as numbers:
                yield f":{numbers.readline().strip()}"
        finally:
            server.terminate()


def _longest(intervals: Sequence[Interval]) -> float:
    return max(interval.own_ms for interval in intervals)


def _line(name: str, intervals: Sequence[Interval]) -> str:
    walls = sorted(interval.wall_ms for interval in intervals)
    p50, p99 = (walls[int(share * (len(walls) - 1))] for share in (0.5, 0.99))
    figures = f"{p50:>8.1f}{p99:>8.1f}{walls[-1]:>9.1f}{_longest(intervals):>12.1f}"
    return f"{name:18}{len(walls):>7}{figures}"


if __name__ == "__main__":
    sys.exit(main())
