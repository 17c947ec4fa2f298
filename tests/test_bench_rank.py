"""`python -m bench.rank` reads the evaluator's lines and answers with the catalog's own keys."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

CATALOG = [
    {"tool_key": "a::create#1", "server": "a", "name": "create_issue", "description": "Open one"},
    {"tool_key": "a::create#2", "server": "a", "name": "create_issue", "description": "Or another"},
    {"tool_key": "b/read", "server": "", "name": "read_file", "description": "Read a file"},
]


@pytest.mark.proves("META-10")
@pytest.mark.parametrize("strategy", ["bm25", "hybrid"])
def test_searches_are_answered_line_by_line_with_unchanged_keys(
    tmp_path: Path, strategy: str
) -> None:
    catalog = tmp_path / "catalog.jsonl"
    catalog.write_text("\n".join(json.dumps({**tool, "parameters": []}) for tool in CATALOG))
    asked = [{"query": ["read file"], "k": 1}, {"query": ["create", "an issue"], "k": 2}]
    answered = subprocess.run(
        [sys.executable, "-m", "bench.rank", str(catalog), "--strategy", strategy],
        input="".join(f"{json.dumps(each)}\n" for each in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = map(json.loads, answered.stdout.splitlines())
    assert first == ["b/read"]
    assert sorted(second) == ["a::create#1", "a::create#2"]
