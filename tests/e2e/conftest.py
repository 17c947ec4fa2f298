"""The router as a process of its own, with real servers, stopped at the end whatever happens."""

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
    """A data directory with five real servers that were added and listed, once for all workers."""
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
    """A running router with those servers, for a test that changes or stops it."""
    shutil.copytree(listed / "data", booth.data_dir)
    booth.start()
    return booth


@pytest.fixture(scope="session")
def common(listed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booth]:
    """A running router with those servers, for all tests that are only its clients."""
    booth = Booth(TOOLBOOTH, tmp_path_factory.mktemp("common") / "data")
    shutil.copytree(listed / "data", booth.data_dir)
    booth.start()
    yield booth
    booth.close()


@pytest.fixture(scope="session")
def token(common: Booth) -> str:
    """Of a client of the common router."""
    return common.token()
