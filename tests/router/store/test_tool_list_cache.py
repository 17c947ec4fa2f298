"""Tool lists on disk: written atomically, validated when read, and never raising."""

from __future__ import annotations

import errno
import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from router.discovery.vetting.preparation import prepare
from router.domain.errors import ToolboothError
from router.domain.ids import ServerId
from router.domain.tool_lists import CachedListing, ServerListing
from router.store.json_file import UnusableFile
from router.store.tool_list_cache import ToolListCache

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
    ttl_ms=60_000,
)
NOON = datetime(2026, 3, 10, 12, 0, 0, 123456, tzinfo=UTC)
ENTRY = CachedListing(prepare(LISTING), HASH, NOON, checked_at=NOON)
OTHER = CachedListing(prepare(ServerListing(({"name": "later"},))), HASH, NOON, checked_at=NOON)


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change an entry and update its checksum."""
    file = json.loads(path.read_bytes())
    change(file)
    tools = ",\n".join(json.dumps(tool) for tool in file.pop("tools"))
    del file["checksum"]
    version = file.pop("formatVersion")
    body = f'{json.dumps(file)[1:-1]},"tools":[\n{tools}\n]}}\n'.encode()
    first = f'{{"formatVersion":{json.dumps(version)},"checksum":"'
    path.write_bytes(f'{first}{sha256(body).hexdigest()}",\n'.encode() + body)


@pytest.fixture
def cache(tmp_path: Path) -> ToolListCache:
    return ToolListCache(tmp_path / "cache")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "time.json"


@pytest.mark.proves("CACHE-1", "CARD-3")
def test_an_entry_is_read_as_it_was_written(cache: ToolListCache) -> None:
    port: ToolListCache = cache
    port.write(TIME, ENTRY)
    assert port.read(TIME, HASH) == ENTRY


@pytest.mark.proves("CACHE-1")
def test_the_file_has_version_hash_time_and_lists(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    file = json.loads(path.read_bytes())
    assert file["formatVersion"] == 2
    assert file["serverVersion"] == "1.2.3"
    assert file["configHash"] == HASH
    assert file["cachedAt"] == "2026-03-10T12:00:00.123456+00:00"
    assert file.keys() >= {"tools", "prompts", "resources", "resourceTemplates", "capabilities"}
    assert file.keys() >= {"serverInfo", "instructions", "protocolVersion"}


@pytest.mark.proves("CACHE-2")
def test_an_entry_is_read_by_the_next_process(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    assert ToolListCache(path.parent).read(TIME, HASH) == ENTRY


@pytest.mark.proves("CARD-3")
def test_each_workspace_has_its_own_entries(tmp_path: Path) -> None:
    home, work = ToolListCache(tmp_path / "home"), ToolListCache(tmp_path / "work")
    home.write(TIME, ENTRY)
    assert work.read(TIME, HASH) is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
def test_entries_are_private(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.proves("CACHE-4")
def test_a_missing_entry_is_not_logged(
    cache: ToolListCache, caplog: pytest.LogCaptureFixture
) -> None:
    assert cache.read(TIME, HASH) is None
    assert caplog.records == []


@pytest.mark.proves("CACHE-4")
def test_an_entry_made_with_another_configuration_is_ignored_with_a_warning(
    cache: ToolListCache, caplog: pytest.LogCaptureFixture
) -> None:
    cache.write(TIME, ENTRY)
    assert cache.read(TIME, "b" * 64) is None
    assert "configuration has changed" in caplog.text


@pytest.mark.proves("CACHE-4")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("formatVersion", 0),
        ("formatVersion", 3),
        ("formatVersion", None),
        ("configHash", 7),
        ("cachedAt", "yesterday"),
        ("cachedAt", "2026-03-10T12:00:00"),
        ("cachedAt", 1741608000),
        ("tools", [1]),
        ("tools", [{"shown": {"name": "now"}}]),
        ("tools", [{"shown": {"name": ""}, "signature": "", "contextTokens": 1, "pin": ""}]),
        ("prompts", "none"),
        ("resources", [1]),
        ("resourceTemplates", [None]),
        ("capabilities", []),
        ("serverInfo", "time 1.2.3"),
        ("ttlMs", "soon"),
        ("cuts", {"hair": 1}),
    ],
)
def test_an_entry_of_the_wrong_shape_is_ignored_with_a_warning(
    cache: ToolListCache, path: Path, caplog: pytest.LogCaptureFixture, key: str, value: object
) -> None:
    cache.write(TIME, ENTRY)
    rewritten(path, lambda file: file.update({key: value}))
    assert cache.read(TIME, HASH) is None
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "time.json" in record.getMessage()


@pytest.mark.proves("CACHE-4")
def test_a_changed_entry_with_a_correct_checksum_is_read(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    rewritten(path, lambda file: file.update({"instructions": "Changed."}))
    entry = cache.read(TIME, HASH)
    assert entry is not None
    assert entry.listing.instructions == "Changed."


@pytest.mark.proves("CACHE-4")
def test_a_corrupt_entry_falls_back_to_the_last_good_one(
    cache: ToolListCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache.write(TIME, ENTRY)
    cache.write(TIME, OTHER)
    path.write_bytes(path.read_bytes()[:-40])
    entry = cache.read(TIME, HASH)
    assert entry is not None
    assert entry.listing == ENTRY.listing
    assert "checksum is wrong" in caplog.text


def test_a_corrupt_entry_never_replaces_the_last_good_one(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    cache.write(TIME, OTHER)
    for _ in range(2):
        path.write_bytes(b"broken")
        cache.write(TIME, OTHER)
    path.write_bytes(b"broken")
    entry = cache.read(TIME, HASH)
    assert entry is not None
    assert entry.listing == ENTRY.listing


def test_marking_a_list_as_checked_rewrites_nothing(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    before, inode = path.read_bytes(), path.stat().st_ino
    cache.touch(TIME, NOON + timedelta(hours=3))
    assert (path.read_bytes(), path.stat().st_ino) == (before, inode)
    entry = cache.read(TIME, HASH)
    assert entry is not None
    assert entry.cached_at == NOON
    assert abs(entry.seen_at - NOON - timedelta(hours=3)) < timedelta(milliseconds=1)


def test_a_list_that_was_dated_ahead_is_as_old_as_its_last_check(cache: ToolListCache) -> None:
    """Its clock was ten years ahead when it was written, and right when it was checked."""
    cache.write(TIME, replace(ENTRY, cached_at=NOON + timedelta(days=3650)))
    cache.touch(TIME, NOON)
    entry = cache.read(TIME, HASH)
    assert entry is not None
    assert entry.seen_at == NOON


def test_marking_a_removed_list_as_checked_is_no_error(cache: ToolListCache) -> None:
    cache.touch(TIME, NOON)


@pytest.mark.proves("CACHE-4")
@pytest.mark.parametrize("text", [b"", b"null", b"[]", b"{", b"\xff\xfe", b"[" * 200_000, b'"x"'])
def test_a_foreign_file_is_ignored(cache: ToolListCache, path: Path, text: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(text)
    assert cache.read(TIME, HASH) is None


@pytest.mark.proves("CACHE-4")
def test_a_folder_in_the_entrys_place_is_ignored(cache: ToolListCache, path: Path) -> None:
    path.mkdir(parents=True)
    assert cache.read(TIME, HASH) is None
    with pytest.raises(UnusableFile, match="Is a directory"):
        cache.write(TIME, ENTRY)
    cache.remove(TIME)
    assert path.is_dir()


def mutations(good: bytes, count: int) -> Iterator[bytes]:
    """Truncated, bit-flipped, cut, repeated and reshaped copies of `good`; deterministic."""
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
def test_no_corrupt_file_raises(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    for data in mutations(path.read_bytes(), 500):
        path.write_bytes(data)
        entry = cache.read(TIME, HASH)
        assert entry is None or all(tool.name for tool in entry.listing.tools)


@pytest.mark.proof
@pytest.mark.proves("CACHE-4")
def test_none_of_five_thousand_corrupt_files_raises(cache: ToolListCache, path: Path) -> None:
    cache.write(TIME, ENTRY)
    cache.write(TIME, OTHER)
    good = path.read_bytes()
    for data in mutations(good, 5000):
        path.write_bytes(data)
        entry = cache.read(TIME, HASH)
        assert entry is not None
        assert entry.listing == (OTHER if data == good else ENTRY).listing


@pytest.mark.proves("CACHE-5")
@pytest.mark.parametrize("step", ["os.open", "os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_a_write_that_fails_says_why_and_the_old_entry_stays(
    cache: ToolListCache, monkeypatch: pytest.MonkeyPatch, step: str, fault: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(fault, os.strerror(fault))

    cache.write(TIME, ENTRY)
    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(ToolboothError, match=os.strerror(fault)):
            cache.write(TIME, OTHER)
    assert cache.read(TIME, HASH) == ENTRY


def test_removing_an_entry_is_idempotent(cache: ToolListCache) -> None:
    cache.write(TIME, ENTRY)
    cache.remove(TIME)
    cache.remove(TIME)
    assert cache.read(TIME, HASH) is None
