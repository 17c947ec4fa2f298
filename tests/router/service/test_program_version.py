"""A program that changed on disk is noticed without starting it; its data is not a program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.service.program_version import program_version


def touched(path: Path) -> None:
    """As an editor changes a file, without waiting for the clock."""
    path.write_text(f"{path.read_text() if path.exists() else ''}#")
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 10**9))


def config(*args: str, cwd: Path | None = None, command: str = sys.executable) -> ServerConfig:
    return ServerConfig(command=command, args=args, cwd=str(cwd) if cwd else None)


@pytest.mark.proves("CACHE-4")
def test_another_file_of_the_program_is_another_version(tmp_path: Path) -> None:
    script, program = tmp_path / "server.py", tmp_path / "serve.cmd"
    for path in (script, program):
        touched(path)
        path.chmod(0o755)
    for each, changes in (
        (config(str(script)), script),
        (config("server.py", cwd=tmp_path), script),
        (config("--directory", str(tmp_path), "run", "server.py"), script),
        (config(command=str(program)), program),
    ):
        before = program_version(each)
        assert program_version(each) == before
        touched(changes)
        assert program_version(each) != before


@pytest.mark.proves("CACHE-4")
def test_a_program_that_is_gone_is_another_version(tmp_path: Path) -> None:
    script = tmp_path / "server.js"
    touched(script)
    before = program_version(config(str(script)))
    script.unlink()
    assert program_version(config(str(script))) != before


def test_data_that_a_server_writes_is_no_program(tmp_path: Path) -> None:
    data = tmp_path / "notes.sqlite"
    touched(data)
    before = program_version(config("-m", "server", "--db", str(data)))
    touched(data)
    assert program_version(config("-m", "server", "--db", str(data))) == before


def test_a_server_with_an_address_has_no_program() -> None:
    assert program_version(ServerConfig(url="http://127.0.0.1:1/mcp")) == ""
