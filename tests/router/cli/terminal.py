"""A terminal for tests: runs commands on one data directory and reads what they print."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from router.__main__ import data_dir
from router.cli.main import run
from tests.support.router_process import do_not_confirm
from tests.support.running_router import STDIO_SERVER

SERVER = (sys.executable, str(STDIO_SERVER))


class Terminal:
    """Runs commands on one data directory and reads what they print."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        do_not_confirm(folder)
        self._capsys = capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        place = words.index("--") if "--" in words else len(words)
        given = [*words[:place], "--data-dir", str(self.folder), *words[place:]]
        code = run(given, data_dir)
        out, err = self._capsys.readouterr()
        return code, out, err

    def json(self, *words: str) -> Any:
        place = words.index("--") if "--" in words else len(words)
        code, out, err = self(*words[:place], "--json", *words[place:])
        assert code == 0, err
        return json.loads(out)
