"""Real servers, one by one: each starts, lists its tools, serves calls and ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.commands import ends_within
from tests.support.router_process import (
    NODE,
    NODE_MODULES,
    TOOLBOOTH,
    RouterProcess,
    children_of,
    node_server,
    python_server,
)

pytestmark = [pytest.mark.timeout(180), pytest.mark.proof]
KEY = "The key is under the mat."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a note in it."""
    folder = tmp_path_factory.mktemp("real") / "repository"
    folder.mkdir()
    (folder / "note.txt").write_text(KEY)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def real(folder: Path) -> Iterator[RouterProcess]:
    """A router with six real servers, discovered concurrently."""
    router = RouterProcess(TOOLBOOTH, folder.parent / "data")
    try:
        router.start()
        memory = f"MEMORY_FILE_PATH={folder.parent / 'memory.jsonl'}"
        playwright = [str(NODE), str(NODE_MODULES / "@playwright" / "mcp" / "cli.js")]
        router.json("add", "everything", "--", *node_server("everything"))
        router.json("add", "memory", "--env", memory, "--", *node_server("memory"))
        router.json("add", "files", "--", *node_server("filesystem", str(folder)))
        router.json("add", "time", "--", *python_server("time"))
        router.json("add", "git", "--", *python_server("git"))
        router.json("add", "browser", "--", *playwright, "--headless", "--isolated")
        states = {row["id"]: row for row in router.json("refresh")}
        listed = {server: row["discovery"] for server, row in states.items()}
        assert set(listed.values()) == {"success"}, states
        yield router
    finally:
        router.close()


def call(router: RouterProcess, key: str, **arguments: Any) -> str:
    result = router.json("call", key, json.dumps(arguments))
    assert not result.get("isError"), result
    return json.dumps(result)


def test_each_lists_its_tools(real: RouterProcess) -> None:
    counts = {row["id"]: row["toolCount"] for row in real.json("list")}
    assert counts["everything"] >= 13
    assert counts["browser"] >= 20
    assert min(counts.values()) >= 2


def test_each_serves_calls_and_ends_with_the_router(real: RouterProcess, folder: Path) -> None:
    entity = {"name": "Toolbooth", "entityType": "program", "observations": ["remembers"]}
    call(real, "memory:create_entities", entities=[entity])
    assert "remembers" in call(real, "memory:read_graph")
    assert KEY in call(real, "files:read_text_file", path=str(folder / "note.txt"))
    assert "note.txt" in call(real, "git:git_status", repo_path=str(folder))
    assert "Asia/Tokyo" in call(real, "time:get_current_time", timezone="Asia/Tokyo")
    assert "hello" in call(real, "everything:echo", message="hello")
    below = children_of(real.pid)
    running = {row["id"] for row in real.json("status")["servers"] if row["process"]}
    assert running == {"memory", "files", "git", "time", "everything"}
    assert len(below) >= len(running)
    assert real.stop() == 0
    assert [pid for pid in below if not ends_within(0, pid)] == []
