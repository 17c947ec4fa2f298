"""The router as a separate process with real servers, always stopped at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.router_process import TOOLBOOTH, Booth, node_server, python_server


@pytest.fixture
def booth(tmp_path: Path) -> Iterator[Booth]:
    started = Booth(TOOLBOOTH, tmp_path / "data")
    yield started
    started.close()


@pytest.fixture(scope="session")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with five real servers, added and discovered, once for all workers."""
    common = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent
    folder, finished = common / "listed", common / "listed.finished"
    with FileLock(common / "listed.lock"):
        if not finished.exists():
            shutil.rmtree(folder, ignore_errors=True)
            _list_real_servers(folder)
            finished.touch()
    return folder


def _list_real_servers(folder: Path) -> None:
    folder.mkdir()
    (folder / "note.txt").write_text("The key is under the mat.")
    booth = Booth(TOOLBOOTH, folder / "data")
    try:
        booth.start()
        booth.json("add", "everything", "--", *node_server("everything"))
        booth.json("add", "files", "--", *node_server("filesystem", str(folder)))
        booth.json("add", "time", "--", *python_server("time"))
        booth.json("add", "git", "--", *python_server("git"))
        memory = f"MEMORY_FILE_PATH={folder / 'memory.json'}"
        booth.json("add", "memory", "--env", memory, "--", *node_server("memory"))
        booth.refresh()
        assert booth.stop() == 0
    finally:
        booth.close()


@pytest.fixture
def served(booth: Booth, listed: Path) -> Booth:
    """A running router with these servers, for tests that change or stop it."""
    shutil.copytree(listed / "data", booth.data_dir)
    booth.start()
    return booth


@pytest.fixture(scope="session")
def common(listed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booth]:
    """A running router with these servers, shared by tests that are only its clients."""
    booth = Booth(TOOLBOOTH, tmp_path_factory.mktemp("common") / "data")
    shutil.copytree(listed / "data", booth.data_dir)
    booth.start()
    yield booth
    booth.close()


@pytest.fixture(scope="session")
def token(common: Booth) -> str:
    """The token of a client of the shared router."""
    return common.token()
