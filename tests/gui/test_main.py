"""`toolbooth` as a real process: the window with the real router, and every way it exits."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.timeouts import WAIT_S

COMMAND = [sys.executable, "-m", "gui"]
LINK = "toolbooth://add?name=notes&url=https%3A%2F%2Fnotes.example%2Fmcp"

LOADED = """
import sys
from gui.__main__ import main
try:
    main(sys.argv[1:])
finally:
    print([name for name in sys.modules if name.startswith(("PySide6", "qasync"))])
"""
INTERRUPTED = """
import signal, sys
from gui.__main__ import main

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)

# Ignored by those who start the tests in the background of a shell, and inherited from them.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
sys.exit(main([]))
"""


class Desktop:
    """A folder for data, sockets and the processes that use them."""

    def __init__(self, data_dir: Path, runtime: str) -> None:
        self.data_dir = data_dir
        self.environment = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "XDG_RUNTIME_DIR": runtime,
            "TOOLBOOTH_HOME": str(data_dir),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        self.processes: list[subprocess.Popen[str]] = []

    def open_window(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, "--port", "0", *arguments],
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes.append(process)
        return process

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )

    def run_program(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
        )

    def listening_url(self) -> str:
        """Ask over local IPC, as the command line does, until the router serves."""
        while True:  # or until the test times out
            answer = self.run("status", "--json")
            if answer.returncode == 0 and (url := json.loads(answer.stdout)["listener"].get("url")):
                return str(url)


@pytest.fixture
def desktop(tmp_path: Path) -> Iterator[Desktop]:
    with tempfile.TemporaryDirectory(prefix="tb") as runtime:
        desktop = Desktop(tmp_path / "data", runtime)
        yield desktop
        for process in desktop.processes:
            process.kill()
            process.communicate()


@pytest.mark.proves("CARD-1", "CARD-6")
def test_the_window_serves_until_it_is_interrupted(desktop: Desktop) -> None:
    window = desktop.open_window()
    assert desktop.listening_url().startswith("http://127.0.0.1:")
    window.send_signal(signal.SIGINT)
    _, errors = window.communicate(timeout=WAIT_S)
    assert window.returncode == 0
    assert "Traceback" not in errors
    assert "did not stop" not in errors


def test_a_second_start_ends_at_once_and_leaves_the_first_alone(desktop: Desktop) -> None:
    first = desktop.open_window("--hidden")
    desktop.listening_url()
    second = desktop.open_window()
    assert second.wait(timeout=WAIT_S) == 0
    assert first.poll() is None
    assert desktop.run_program(LOADED).stdout.splitlines()[-1] == "[]"


def test_the_log_is_for_its_user_only(desktop: Desktop) -> None:
    window = desktop.open_window()
    desktop.listening_url()
    window.terminate()
    assert window.wait(timeout=WAIT_S) == 0
    log = desktop.data_dir / "logs" / "toolbooth.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700
    assert "Stopping the router" in log.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_without_a_display_it_says_so_and_suggests_serve(desktop: Desktop) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        desktop.environment.pop(name, None)
    answer = desktop.run()
    assert answer.returncode == 1
    assert "toolbooth serve" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--port", "70000"], 2), (["--nonsense"], 2), (["nonsense"], 2), (["--version"], 0)],
)
def test_a_usage_error_has_its_own_exit_code(
    desktop: Desktop, arguments: list[str], code: int
) -> None:
    assert desktop.run(*arguments).returncode == code


@pytest.mark.parametrize("arguments", [["--help"], ["list"], ["status"]])
def test_the_headless_commands_do_not_load_qt(desktop: Desktop, arguments: list[str]) -> None:
    assert desktop.run_program(LOADED, *arguments).stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("module", ["gui.desktop.url_scheme", "PySide6.QtCore", "gui.application"])
def test_an_interrupt_while_loading_prints_no_traceback(desktop: Desktop, module: str) -> None:
    answer = desktop.run_program(INTERRUPTED, module)
    assert (answer.returncode, answer.stderr) == (1, "")


@pytest.mark.parametrize(
    "words",
    [
        [LINK, "--data-dir", "{folder}"],
        [LINK, "--data-dir", "{folder}", LINK],
        ["--hidden", LINK, "--data-dir", "{folder}"],
        [LINK, "token", "create", "--data-dir", "{folder}"],
    ],
)
def test_nothing_after_a_link_is_an_option(words: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "chosen by a page"
    command = [*COMMAND, *(word.format(folder=folder) for word in words)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "TOOLBOOTH_HOME": str(tmp_path)}
    started = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    assert started.returncode == 2
    assert "usage" in started.stderr or "command" in started.stderr
    assert not folder.exists()
