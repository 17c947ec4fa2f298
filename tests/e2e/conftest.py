"""The router as a separate process with real servers, always stopped at the end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.router_process import TOOLBOOTH, RouterProcess, node_server, python_server


@pytest.fixture
def router(tmp_path: Path) -> Iterator[RouterProcess]:
    started = RouterProcess(TOOLBOOTH, tmp_path / "data")
    yield started
    started.close()


@pytest.fixture(scope="session")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with five real servers, added and discovered, once for all workers."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, finished = base / "listed", base / "listed.finished"
    with FileLock(base / "listed.lock"):
        if not finished.exists():
            shutil.rmtree(folder, ignore_errors=True)
            _list_real_servers(folder)
            finished.touch()
    return folder


def _list_real_servers(folder: Path) -> None:
    folder.mkdir()
    (folder / "note.txt").write_text("The key is under the mat.")
    router = RouterProcess(TOOLBOOTH, folder / "data")
    try:
        router.start()
        router.json("add", "everything", "--", *node_server("everything"))
        router.json("add", "files", "--", *node_server("filesystem", str(folder)))
        router.json("add", "time", "--", *python_server("time"))
        router.json("add", "git", "--", *python_server("git"))
        memory = f"MEMORY_FILE_PATH={folder / 'memory.json'}"
        router.json("add", "memory", "--env", memory, "--", *node_server("memory"))
        router.refresh()
        assert router.stop() == 0
    finally:
        router.close()


@pytest.fixture
def real_router(router: RouterProcess, listed: Path) -> RouterProcess:
    """A running router with these servers, for tests that change or stop it."""
    shutil.copytree(listed / "data", router.data_dir, dirs_exist_ok=True)
    router.start()
    return router


@pytest.fixture(scope="session")
def shared_router(
    listed: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RouterProcess]:
    """A running router with these servers, shared by tests that are only its clients."""
    router = RouterProcess(TOOLBOOTH, tmp_path_factory.mktemp("common") / "data")
    shutil.copytree(listed / "data", router.data_dir, dirs_exist_ok=True)
    router.start()
    yield router
    router.close()


@pytest.fixture(scope="session")
def token(shared_router: RouterProcess) -> str:
    """The token of a client of the shared router."""
    return shared_router.token()
