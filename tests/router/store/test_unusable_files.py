"""No store overwrites a file that it can't read: it says so, and the bytes stay.

Every store, each kind of damage. The cache of tool lists, which can be discovered again, moves a
damaged file aside; all others refuse to write.
"""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from router.config.server import ServerConfig
from router.config.workspace import WorkspaceConfig
from router.discovery.packages.installer_process import Fetch
from router.discovery.packages.package_store import PackageStore
from router.discovery.packages.runners import PackageRun, recognise
from router.domain.discovery_attempt import DiscoveryAttempt
from router.domain.errors import ToolboothError
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.domain.receipts import DiscoveryAccess
from router.domain.search import ToolUse, UsageHistory
from router.domain.tool_lists import CachedListing
from router.store.approvals import ApprovalStore
from router.store.config_store import ConfigStore
from router.store.consent_key import FILE_NAME, ConsentKey
from router.store.consents import ConsentStore
from router.store.deferred_writes import DeferredWrites
from router.store.discovery_attempts import AttemptStore
from router.store.receipts import ReceiptStore
from router.store.scripts import ScriptStore
from router.store.tokens import TokenStore
from router.store.tool_list_cache import ToolListCache
from router.store.usage_history import write_usage_history
from tests.router.store.test_approvals import FIRST, LATER, ON_CHANGE
from tests.router.store.test_receipts import RECEIPT
from tests.router.store.test_tool_list_cache import ENTRY, HASH
from tests.support.fakes import FakeClock

FILES = ServerId("files")
REF = ServerRef(WorkspaceId("personal"), FILES)
SHELL = ServerConfig(command="/bin/sh")
OTHER = ServerConfig(command="/bin/cat")
NOW = datetime(2026, 5, 1, tzinfo=UTC)
ATTEMPT = DiscoveryAttempt(NOW, "hash", "program", Failure(FailureKind.TIMEOUT), 1)


@dataclass(frozen=True)
class Store:
    """One of our files: how it is first written, and how it is changed later."""

    path: Callable[[Path], Path]
    write: Callable[[Path], object]
    change: Callable[[Path], object]
    versioned: bool = True


def consents(folder: Path) -> ConsentStore:
    return ConsentStore(folder / "personal", ConsentKey(folder / FILE_NAME))


def approvals(folder: Path) -> ApprovalStore:
    return ApprovalStore(folder / "personal", DeferredWrites())


def config(folder: Path) -> ConfigStore:
    store = ConfigStore(folder, DeferredWrites())
    store.load()
    return store


def tokens(folder: Path) -> TokenStore:
    return TokenStore(folder / "tokens.json", FakeClock())


def use(folder: Path, tool: str) -> None:
    uses = (ToolUse(("words",), tool, 1, NOW),)
    write_usage_history(folder / "personal", {None: UsageHistory(uses, ())})


def scripts(folder: Path) -> ScriptStore:
    return ScriptStore(folder / "scripts", 1000)


def personal(name: str) -> Callable[[Path], Path]:
    return lambda folder: folder / "personal" / name


def add_server(folder: Path, name: str) -> None:
    config(folder).update_workspace(
        WorkspaceId("personal"),
        lambda now: now.model_copy(update={"mcp_servers": {**now.mcp_servers, name: SHELL}}),
    )


STORES = {
    "consents": Store(
        personal("consents.json"),
        lambda folder: consents(folder).grant(FILES, SHELL),
        lambda folder: consents(folder).grant(ServerId("other"), OTHER),
    ),
    "access during discovery": Store(
        personal("consents.json"),
        lambda folder: consents(folder).grant(FILES, SHELL),
        lambda folder: consents(folder).allow(FILES, SHELL, DiscoveryAccess.NETWORK),
    ),
    "consent key": Store(
        lambda folder: folder / FILE_NAME,
        lambda folder: consents(folder).grant(FILES, SHELL),
        lambda folder: consents(folder).grant(FILES, OTHER),
        versioned=False,
    ),
    "approvals": Store(
        personal("approvals.json"),
        lambda folder: approvals(folder).review(FILES, "x", FIRST, ON_CHANGE),
        lambda folder: approvals(folder).approve(FILES, "x", LATER),
    ),
    "approved definitions": Store(
        personal("approved/files.json"),
        lambda folder: approvals(folder).review(FILES, "x", FIRST, ON_CHANGE),
        lambda folder: approvals(folder).approve(FILES, "x", LATER),
    ),
    "settings": Store(
        lambda folder: folder / "settings.json",
        lambda folder: config(folder).update_settings(lambda s: s.changed({"port": 4000})),
        lambda folder: config(folder).update_settings(lambda s: s.changed({"port": 4001})),
    ),
    "workspace": Store(
        lambda folder: folder / "workspaces" / "personal" / "workspace.json",
        lambda folder: add_server(folder, "one"),
        lambda folder: add_server(folder, "two"),
    ),
    "tokens": Store(
        lambda folder: folder / "tokens.json",
        lambda folder: tokens(folder).issue("One", None, None),
        lambda folder: tokens(folder).issue("Two", None, None),
    ),
    "usage history": Store(
        personal("learned.json"),
        lambda folder: use(folder, "a:b"),
        lambda folder: use(folder, "a:c"),
    ),
    "receipts": Store(
        lambda folder: folder / "files.json",
        lambda folder: ReceiptStore(folder).write(FILES, RECEIPT),
        lambda folder: ReceiptStore(folder).write(FILES, RECEIPT),
    ),
    "discovery attempts": Store(
        lambda folder: folder / "files.json",
        lambda folder: AttemptStore(folder).write(FILES, ATTEMPT),
        lambda folder: AttemptStore(folder).write(FILES, ATTEMPT),
    ),
    "scripts": Store(
        lambda folder: folder / "scripts" / "sum.lua",
        lambda folder: scripts(folder).write("sum", "return 1"),
        lambda folder: scripts(folder).write("sum", "return 2"),
        versioned=False,
    ),
}


def truncate(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def change_type(path: Path) -> None:
    """Another type where an object is expected, deep inside."""
    file = json.loads(path.read_bytes())
    key = next(key for key, value in file.items() if isinstance(value, dict | list))
    path.write_text(json.dumps({**file, key: "text"}))


def replace_by_list(path: Path) -> None:
    path.write_text("[]")


def make_newer(path: Path) -> None:
    file = json.loads(path.read_bytes())
    key = "schemaVersion" if "schemaVersion" in file else "formatVersion"
    path.write_text(json.dumps({**file, key: 99}))


def make_not_utf8(path: Path) -> None:
    path.write_bytes(b"\xff\xfe" * 10)


DAMAGES = (truncate, empty, change_type, replace_by_list, make_newer, make_not_utf8)
OF_TEXT = {"scripts": (make_not_utf8,), "consent key": (truncate, empty, make_not_utf8)}


@contextmanager
def failing_reads(path: Path, code: int) -> Generator[None]:
    """As root may read everything, and no disk breaks on request: the call that opens `path` to
    read fails with `code`."""
    real = io.open

    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        if "r" in mode and not isinstance(file, int) and Path(file) == path:
            raise OSError(code, os.strerror(code), str(path))
        return real(file, mode, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(io, "open", opened)
        yield


@pytest.mark.parametrize(
    ("name", "damage"),
    [(name, damage) for name in STORES for damage in OF_TEXT.get(name, DAMAGES)],
)
def test_a_damaged_file_is_not_overwritten(
    tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    store = STORES[name]
    store.write(tmp_path)
    path = store.path(tmp_path)
    damage(path)
    kept = path.read_bytes()
    with pytest.raises(ToolboothError) as caught:
        store.change(tmp_path)
    assert str(path) in caught.value.message
    assert caught.value.message.partition(str(path))[2].strip(" :.") != ""
    assert path.read_bytes() == kept


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
@pytest.mark.parametrize("name", STORES)
def test_a_file_that_cannot_be_read_is_not_overwritten(
    tmp_path: Path, name: str, code: int
) -> None:
    store = STORES[name]
    store.write(tmp_path)
    path = store.path(tmp_path)
    kept = path.read_bytes()
    with failing_reads(path, code), pytest.raises(ToolboothError) as caught:
        store.change(tmp_path)
    assert str(path) in caught.value.message
    assert os.strerror(code) in caught.value.message
    assert path.read_bytes() == kept


@pytest.mark.parametrize("damage", [truncate, empty, replace_by_list, make_not_utf8])
def test_a_damaged_tool_list_is_moved_aside(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    cache = ToolListCache(tmp_path)
    cache.write(FILES, ENTRY)
    damage(tmp_path / "files.json")
    damaged = (tmp_path / "files.json").read_bytes()
    cache.write(FILES, later(ENTRY))
    assert cache.read(FILES, HASH) == later(ENTRY)
    assert (tmp_path / "files.json.damaged").read_bytes() == damaged
    cache.remove(FILES)
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".lock"] == []


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
def test_a_tool_list_that_cannot_be_read_is_not_overwritten(tmp_path: Path, code: int) -> None:
    cache = ToolListCache(tmp_path)
    cache.write(FILES, ENTRY)
    path = tmp_path / "files.json"
    kept = path.read_bytes()
    with failing_reads(path, code), pytest.raises(ToolboothError, match=os.strerror(code)):
        cache.write(FILES, later(ENTRY))
    assert path.read_bytes() == kept


def later(entry: CachedListing) -> CachedListing:
    moment = entry.cached_at + timedelta(days=1)
    return CachedListing(entry.listing, entry.config_hash, moment, moment)


async def test_an_unusable_package_record_is_not_overwritten(tmp_path: Path) -> None:
    run = recognise("npx", ("-y", "left-pad"))
    assert isinstance(run, PackageRun)
    path = tmp_path / "personal" / "files" / "current.json"
    path.parent.mkdir(parents=True)
    path.write_text("{ half")
    store = PackageStore(tmp_path, ConsentKey(tmp_path / FILE_NAME), lambda: NOW)
    assert store.find(REF, run) is None
    with pytest.raises(ToolboothError, match=r"current\.json: it is not valid JSON"):
        await store.fetch(REF, lambda folder: Fetch(run, folder, "/nowhere"))
    assert path.read_text() == "{ half"
    assert list(path.parent.iterdir()) == [path]


def test_removing_a_server_leaves_files_alone_that_cannot_be_used(tmp_path: Path) -> None:
    consents(tmp_path).grant(FILES, SHELL)
    approvals(tmp_path).review(FILES, "x", FIRST, ON_CHANGE)
    files = [tmp_path / "personal" / name for name in ("consents.json", "approvals.json")]
    for file in files:
        file.write_text("{ half")
    consents(tmp_path).forget(FILES)
    approvals(tmp_path).forget(FILES)
    assert [file.read_text() for file in files] == ["{ half"] * 2


def test_a_workspace_that_was_never_valid_says_so(tmp_path: Path) -> None:
    path = tmp_path / "workspaces" / "personal" / "workspace.json"
    path.parent.mkdir(parents=True)
    path.write_text("{ half")
    store = config(tmp_path)
    assert store.workspaces[WorkspaceId("personal")] == WorkspaceConfig(name="Personal")
    with pytest.raises(ToolboothError, match=r"workspace\.json"):
        store.check(WorkspaceId("personal"))
