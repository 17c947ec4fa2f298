"""A command loads only what it uses: that is most of the time it takes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.support.router_process import TOOLBOOTH, RouterProcess
from tests.support.timeouts import WAIT_S

_LOADED = """
import sys
from gui.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print("\\n".join(sys.modules), file=sys.stderr)
"""
ANY_COMMAND = {"PySide6", "mcp", "mcp_types", "uvicorn", "starlette", "cryptography", "lupa"}
"""Neither a window nor clients are served."""
ONE_REQUEST = {"pydantic", "httpx2", "uvloop", "numpy", "keyring", "sqlite3", "router.service"}
"""Carried out by the running instance."""
INFORMATION = {"asyncio", "filelock", "platformdirs", "plistlib", "router.runtime"}
"""Known without an instance."""
COMMANDS = [["list"], ["search", "read a file"], ["call", "files:read_file"]]


def loaded(*words: str) -> set[str]:
    """What the command line `words` loads."""
    ended = subprocess.run(
        [sys.executable, "-c", _LOADED, *words], capture_output=True, text=True, timeout=WAIT_S
    )
    return set(ended.stderr.splitlines())


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """The data directory of a running instance."""
    router = RouterProcess(TOOLBOOTH, tmp_path_factory.mktemp("instance") / "data")
    router.start()
    yield router.data_dir
    router.close()


def test_the_version_is_known_without_the_commands() -> None:
    modules = loaded("--version")
    assert "router.__main__" in modules
    assert not modules & (ANY_COMMAND | ONE_REQUEST | INFORMATION | {"router.cli"})


@pytest.mark.parametrize("words", [["--help"], ["list", "--help"], ["serve", "--help"]])
def test_help_is_known_without_the_router(words: list[str]) -> None:
    modules = loaded(*words)
    assert "router.commands.registry" in modules
    assert not modules & (ANY_COMMAND | ONE_REQUEST | INFORMATION)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_beside_an_instance_loads_no_router(words: list[str], instance: Path) -> None:
    modules = loaded(*words, "--data-dir", str(instance))
    assert "router.runtime.local_ipc" in modules
    assert not modules & (ANY_COMMAND | ONE_REQUEST)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_on_files_loads_nothing_that_serves_clients(
    words: list[str], tmp_path: Path
) -> None:
    modules = loaded(*words, "--data-dir", str(tmp_path))
    assert "router.service.router" in modules
    serving = {"router.gateway.http.listener", "router.gateway.session.dispatcher"}
    assert not modules & (ANY_COMMAND | serving)
