"""Tool lists on disk: never half written, never trusted blindly, never worth an exception."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import router
from router.model import ServerId
from router.ports import CachedListing, ServerListing, ToolCache
from router.store.cache import DiskToolCache

ROOT = Path(router.__file__).parents[1]
TIME = ServerId("time")
HASH = "a" * 64
LISTING = ServerListing(
    tools=(
        {
            "name": "convert",
            "title": "Convert time",
            "description": "日本 \ud83d half a pair",
            "inputSchema": {"type": "object", "properties": {"tz": {"type": "string"}}},
            "annotations": {"readOnlyHint": True},
            "_meta": {"vendor/x": [1, 2.5, None]},
        },
        {"name": "now"},
    ),
    prompts=({"name": "greet"},),
    resources=({"uri": "time://now"},),
    resource_templates=({"uriTemplate": "time://{tz}"},),
    capabilities={"tools": {"listChanged": True}},
    server_info={"name": "time", "version": "1.2.3"},
    instructions="Ask for the time.",
    protocol_version="2025-11-25",
)
ENTRY = CachedListing(LISTING, HASH, datetime(2026, 3, 10, 12, 0, 0, 123456, tzinfo=UTC))


@pytest.fixture
def cache(tmp_path: Path) -> DiskToolCache:
    return DiskToolCache(tmp_path / "cache")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "time.json"


@pytest.mark.proves("CACHE-1", "CARD-3")
def test_an_entry_comes_back_exactly_as_it_was_written(cache: DiskToolCache) -> None:
    port: ToolCache = cache
    port.write(TIME, ENTRY)
    assert port.read(TIME, HASH) == ENTRY


@pytest.mark.proves("CACHE-1")
def test_the_file_says_what_it_is(cache: DiskToolCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    file = json.loads(path.read_bytes())
    assert file["formatVersion"] == 1
    assert file["serverVersion"] == "1.2.3"
    assert file["configHash"] == HASH
    assert file["cachedAt"] == "2026-03-10T12:00:00.123456+00:00"
    assert file.keys() >= {"tools", "prompts", "resources", "resourceTemplates", "capabilities"}
    assert file.keys() >= {"serverInfo", "instructions", "protocolVersion"}


@pytest.mark.proves("CACHE-2")
def test_an_entry_is_there_for_the_next_process(cache: DiskToolCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    assert DiskToolCache(path.parent).read(TIME, HASH) == ENTRY


@pytest.mark.proves("CARD-3")
def test_each_workspace_has_its_own_entries(tmp_path: Path) -> None:
    home, work = DiskToolCache(tmp_path / "home"), DiskToolCache(tmp_path / "work")
    home.write(TIME, ENTRY)
    assert work.read(TIME, HASH) is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_entries_are_private(cache: DiskToolCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.proves("CACHE-4")
def test_a_missing_entry_is_nothing_to_talk_about(
    cache: DiskToolCache, caplog: pytest.LogCaptureFixture
) -> None:
    assert cache.read(TIME, HASH) is None
    assert caplog.records == []


@pytest.mark.proves("CACHE-4")
def test_an_entry_made_with_another_configuration_is_ignored_with_a_warning(
    cache: DiskToolCache, caplog: pytest.LogCaptureFixture
) -> None:
    cache.write(TIME, ENTRY)
    assert cache.read(TIME, "b" * 64) is None
    assert "configuration has changed" in caplog.text


@pytest.mark.proves("CACHE-4")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("formatVersion", 0),
        ("formatVersion", 2),
        ("formatVersion", None),
        ("configHash", 7),
        ("cachedAt", "yesterday"),
        ("cachedAt", "2026-03-10T12:00:00"),
        ("cachedAt", 1741608000),
        ("tools", None),
        ("tools", {"name": "now"}),
        ("tools", ["now"]),
        ("tools", [{"name": "now"}, {"name": ""}]),
        ("tools", [{"name": "now"}, {"description": "nameless"}]),
        ("tools", [{"name": ["now"]}]),
        ("prompts", "none"),
        ("resources", [1]),
        ("resourceTemplates", [None]),
        ("capabilities", []),
        ("serverInfo", "time 1.2.3"),
        ("instructions", {}),
        ("protocolVersion", 2025),
    ],
)
def test_an_entry_of_the_wrong_shape_is_ignored_with_a_warning(
    cache: DiskToolCache, path: Path, caplog: pytest.LogCaptureFixture, key: str, value: object
) -> None:
    cache.write(TIME, ENTRY)
    path.write_text(json.dumps({**json.loads(path.read_bytes()), key: value}))
    assert cache.read(TIME, HASH) is None
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "time.json" in record.getMessage()


@pytest.mark.proves("CACHE-4")
@pytest.mark.parametrize("text", [b"", b"null", b"[]", b"{", b"\xff\xfe", b"[" * 200_000, b'"x"'])
def test_a_file_that_is_no_entry_at_all_is_ignored(
    cache: DiskToolCache, path: Path, text: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(text)
    assert cache.read(TIME, HASH) is None


@pytest.mark.proves("CACHE-4")
def test_a_folder_in_the_entrys_place_is_ignored(cache: DiskToolCache, path: Path) -> None:
    path.mkdir(parents=True)
    assert cache.read(TIME, HASH) is None
    cache.write(TIME, ENTRY)
    cache.remove(TIME)
    assert path.is_dir()


def mutations(good: bytes, count: int) -> Iterator[bytes]:
    """Truncated, bit-flipped, cut up, repeated and reshaped copies of `good`; always the same."""
    chance = random.Random(20260310)
    for number in range(count):
        data = bytearray(good)
        match number % 5:
            case 0:
                del data[chance.randrange(len(data)) :]
            case 1:
                for _ in range(chance.randint(1, 8)):
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 2:
                start = chance.randrange(len(data))
                del data[start : start + chance.randint(1, 200)]
            case 3:
                start = chance.randrange(len(data))
                data[start:start] = data[: chance.randrange(len(data))]
            case _:
                file = json.loads(good)
                values: list[Any] = [None, 0, -1, 1e308, "", "x", [], [[]], {}, {"name": 0}, True]
                file[chance.choice(list(file))] = chance.choice(values)
                data = bytearray(json.dumps(file).encode())
        yield bytes(data)


@pytest.mark.proves("CACHE-4")
def test_no_broken_file_raises(cache: DiskToolCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    for data in mutations(path.read_bytes(), 500):
        path.write_bytes(data)
        entry = cache.read(TIME, HASH)
        assert entry is None or all(tool["name"] for tool in entry.listing.tools)


@pytest.mark.proves("CACHE-5")
@pytest.mark.parametrize("step", ["os.open", "os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_is_logged_and_the_old_entry_stays(
    cache: DiskToolCache,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    step: str,
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    cache.write(TIME, ENTRY)
    with monkeypatch.context() as patch:
        patch.setattr(step, full)
        cache.write(TIME, CachedListing(ServerListing(tools=()), HASH, ENTRY.cached_at))
    assert cache.read(TIME, HASH) == ENTRY
    assert "No space left" in caplog.text


def test_a_removed_entry_is_gone_and_removing_it_again_is_fine(cache: DiskToolCache) -> None:
    cache.write(TIME, ENTRY)
    cache.remove(TIME)
    cache.remove(TIME)
    assert cache.read(TIME, HASH) is None


KILL_A_WRITER_PER_LINE = """
import os, random, signal, sys, time
from datetime import UTC, datetime
from pathlib import Path
from router.model import ServerId
from router.ports import CachedListing, ServerListing
from router.store.cache import DiskToolCache

def write_forever(cache):
    number = 0
    while True:
        tools = tuple({"name": f"tool-{i}", "description": f"{number} " * 50} for i in range(500))
        listing = CachedListing(ServerListing(tools), "a" * 64, datetime.now(UTC))
        cache.write(ServerId("time"), listing)
        number += 1

cache = DiskToolCache(Path(sys.argv[1]))
chance = random.Random(20260310)
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        write_forever(cache)
    time.sleep(chance.uniform(0.005, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("killed", flush=True)
"""


@pytest.mark.proves("CACHE-5")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killing_a_writer_fifty_times_never_leaves_a_broken_entry(tmp_path: Path) -> None:
    DiskToolCache(tmp_path).write(TIME, ENTRY)
    with subprocess.Popen(
        [sys.executable, "-c", KILL_A_WRITER_PER_LINE, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as killer:
        assert killer.stdin is not None
        assert killer.stdout is not None
        interrupted = 0
        for _ in range(50):
            print("next", file=killer.stdin, flush=True)
            assert killer.stdout.readline() == "killed\n"
            interrupted += any(tmp_path.glob(".*.tmp"))
            cache = DiskToolCache(tmp_path)
            entry = cache.read(TIME, HASH)
            assert entry is not None
            assert len({tool.get("description") for tool in entry.listing.tools}) <= 2
            assert [path.name for path in tmp_path.iterdir()] == ["time.json"]
        killer.stdin.close()
        assert killer.wait(timeout=10) == 0
    assert interrupted > 0, "no kill met a write: the test shows nothing"
