"""The router as a process of its own, with real servers, stopped at the end whatever happens."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.booth import TOOLBOOTH, Booth, node_server, python_server


@pytest.fixture
def booth(tmp_path: Path) -> Iterator[Booth]:
    started = Booth(TOOLBOOTH, tmp_path / "data")
    yield started
    started.close()


@pytest.fixture(scope="session")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with four real servers that were added and listed once."""
    folder = tmp_path_factory.mktemp("listed")
    (folder / "note.txt").write_text("The key is under the mat.")
    booth = Booth(TOOLBOOTH, folder / "data")
    booth.start()
    booth.json("add", "everything", "--", *node_server("everything"))
    booth.json("add", "files", "--", *node_server("filesystem", str(folder)))
    booth.json("add", "time", "--", *python_server("time"))
    booth.json("add", "git", "--", *python_server("git"))
    states = {row["id"]: row["discovery"] for row in booth.json("refresh")}
    assert set(states.values()) == {"success"}, states
    assert booth.stop() == 0
    return folder


@pytest.fixture
def served(booth: Booth, listed: Path) -> Booth:
    """A running router with those servers."""
    shutil.copytree(listed / "data", booth.data_dir)
    booth.start()
    return booth
