"""Memory: a thousand starts of a server leak nothing, and the embeddings are small."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.router.upstream.pool_harness import REF, PoolHarness, call

pytestmark = [pytest.mark.proof, pytest.mark.timeout(900)]
MEBIBYTE = 1024 * 1024
ROUNDS = 1000


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "asyncio", {"use_uvloop": sys.platform != "win32"}


def resident_bytes() -> int:
    gc.collect()
    return psutil.Process().memory_info().rss


async def test_a_thousand_starts_and_stops_take_no_more_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # pytest keeps every record in memory.
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    harness = PoolHarness(tmp_path / "record")
    harness.options = ["--child"]
    pool = harness.pool()

    async def start_and_stop(rounds: int) -> None:
        for number in range(rounds):
            assert await call(pool, "echo", n=number) == {"n": number}
            await pool.disconnect(REF)
            if number % 20 == 0:
                gc.collect()  # which is otherwise done between tests only

    # The allocator takes memory in steps, most of them in the first rounds; a leak goes on growing.
    await start_and_stop(ROUNDS // 2)
    before = resident_bytes()
    await start_and_stop(ROUNDS // 2)
    after = resident_bytes()
    await pool.close()
    assert after - before < 3 * MEBIBYTE
    assert len(harness.pids()) == ROUNDS


@pytest.mark.proves("META-4")
def test_the_embeddings_are_small_in_memory() -> None:
    program = (
        "import resource, numpy\n"
        "from router.search.index.embeddings import word_embeddings\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "word_embeddings().embed(['create', 'issue'])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(ended.stdout) * 1024 < 40 * MEBIBYTE, ended.stderr
