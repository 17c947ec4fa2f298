"""Other applications' files under attack: links that move, owners, crashes, files made to harm."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from router.api.apps import AppId, AppState
from router.apps import file_edit
from router.apps.config_document import Format, edited, read
from router.domain.errors import ConfigError, Conflict, ToolboothError
from tests.router.apps.test_config_writer import ENDPOINT, connect, connections, put
from tests.support.timeouts import WAIT_S

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no permission bits")
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="Python has them on Linux only")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def while_writing(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str, Callable[[Path], object]], None]:
    """Does something when a file of that name suffix is written, but not yet in place."""

    def install(suffix: str, action: Callable[[Path], object]) -> None:
        real = os.fsync

        def fsync(descriptor: int) -> None:
            real(descriptor)
            written = Path(f"/proc/self/fd/{descriptor}").readlink()
            if written.name.endswith(suffix):
                action(written)

        monkeypatch.setattr(os, "fsync", fsync)

    return install


@POSIX_ONLY
@pytest.mark.parametrize("bits", [0o600, 0o640, 0o644, 0o660])
def test_a_file_keeps_its_mode(bits: int, tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    path.chmod(bits)
    assert mode(connect(tmp_path, "cursor")) == bits
    [backup] = path.parent.glob("*.bak.*")
    assert mode(backup) == 0o600


@LINUX_ONLY
def test_a_file_keeps_its_extended_attributes(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    os.setxattr(path, "user.note", b"mine")
    connect(tmp_path, "cursor")
    assert os.getxattr(path, "user.note") == b"mine"


@LINUX_ONLY
def test_what_replaces_the_new_file_is_not_given_the_mode(
    tmp_path: Path, while_writing: Callable[[str, Callable[[Path], object]], None]
) -> None:
    path, key = put(tmp_path, "cursor"), tmp_path / "key"
    path.chmod(0o666)
    key.touch(0o600)

    def swap(written: Path) -> None:
        written.unlink()
        written.symlink_to(key)

    while_writing(".tmp", swap)
    with pytest.raises(Conflict, match="changed in the meantime"):
        connect(tmp_path, "cursor")
    assert mode(key) == 0o600
    assert key.read_bytes() == b""


@LINUX_ONLY
def test_what_an_app_writes_meanwhile_is_kept(
    tmp_path: Path, while_writing: Callable[[str, Callable[[Path], object]], None]
) -> None:
    path = put(tmp_path, "cursor")
    while_writing(".tmp", lambda _: path.write_bytes(b'{"written": "meanwhile"}'))
    with pytest.raises(Conflict, match="changed in the meantime"):
        connect(tmp_path, "cursor")
    assert path.read_bytes() == b'{"written": "meanwhile"}'
    assert names(path.parent) == {path.name}


@POSIX_ONLY
def test_a_file_of_another_user_is_unchanged_and_has_no_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "cursor")
    before = path.read_bytes()
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    with pytest.raises(Conflict, match="belongs to another user"):
        connect(tmp_path, "cursor")
    assert path.read_bytes() == before
    assert names(path.parent) == {path.name}


def test_a_hard_link_is_separated_and_keeps_the_old_content(tmp_path: Path) -> None:
    path = put(tmp_path, "cursor")
    before = path.read_bytes()
    (tmp_path / "snapshot.json").hardlink_to(path)
    connect(tmp_path, "cursor")
    assert (tmp_path / "snapshot.json").read_bytes() == before
    assert b"toolbooth" in path.read_bytes()


def test_only_the_file_that_was_compared_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other, link = tmp_path / "ours", tmp_path / "other", tmp_path / "link"
    ours.write_bytes(b"ours")
    other.write_bytes(b"other")
    link.symlink_to(ours)
    real = file_edit.fingerprint

    def swapping(data: bytes | None) -> str:
        link.unlink()
        link.symlink_to(other)
        return real(data)

    monkeypatch.setattr(file_edit, "fingerprint", swapping)
    file_edit.remove(link, expected=real(b"ours"))
    assert other.exists()
    assert not ours.exists()


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES])
@pytest.mark.parametrize("step", ["os.open", "os.fdopen", "os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_leaves_the_file_and_nothing_beside_it(
    step: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "cursor")
    before, here = path.read_bytes(), connections(tmp_path)
    plan = here.plan(AppId("cursor"), ENDPOINT)

    real_open, real_fdopen = os.open, os.fdopen

    def fail(*arguments: Any, **_: object) -> Any:
        match arguments:
            case (_, int(flags)) if not flags & os.O_CREAT:
                return real_open(*arguments)
            case (int(descriptor), "rb"):
                return real_fdopen(descriptor, "rb")
            case _:
                raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(step, fail)
        with pytest.raises(ToolboothError, match="Can't write"):
            here.connect(AppId("cursor"), ENDPOINT, plan.fingerprint)
    assert path.read_bytes() == before
    assert names(path.parent) == {path.name}


def test_files_of_a_killed_writer_are_removed_by_the_next_one_and_no_others(
    tmp_path: Path,
) -> None:
    path = put(tmp_path, "cursor")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(timeout=WAIT_S)
    leftover = path.with_name(f".{path.name}.{ended.pid}-0123abcd.tmp")
    others = {f".{path.name}.{os.getpid()}-0123abcd.tmp", f".other.{ended.pid}-0123abcd.tmp"}
    for name in (leftover.name, *others):
        path.with_name(name).write_text(ENDPOINT.token)
    connect(tmp_path, "cursor")
    assert not leftover.exists()
    assert others < names(path.parent)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"\xff\x00\x01", "not UTF-8"), (b" " * 64_000_001, "larger than 64 MB")],
    ids=["binary", "huge"],
)
def test_a_file_that_is_no_configuration_is_reported(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    put(tmp_path, "cursor").write_bytes(content)
    [app] = [app for app in connections(tmp_path).apps() if app.id == "cursor"]
    assert app.state is AppState.UNREADABLE
    assert reason in app.reason


ALIASES = "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Format.JSON, '\\"' * 200_000),
        (Format.JSON, "/* " * 200_000),
        (Format.JSON, "{" + " ," * 200_000),
        (Format.JSON, "[" * 200_000),
        (Format.TOML, "a" + ".a" * 2_000 + " = 1"),
        (Format.YAML, f"a: &a [x, x, x, x, x, x, x, x, x]\n{ALIASES}"),
    ],
    ids=["escapes", "comments", "commas", "brackets", "dotted key", "aliases"],
)
def test_a_file_made_to_exhaust_its_reader_is_refused(kind: Format, text: str) -> None:
    with pytest.raises(ConfigError):
        read(kind, Path("config"), text)


@pytest.mark.parametrize(
    ("text", "line"), [('{"a": "b}\n', 1), ("{\n/* a\n}", 2), ('{}\n"\\', 2), ("{} /*/", 1)]
)
def test_what_is_never_closed_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ConfigError, match=f"line {line}"):
        read(Format.JSON, Path("config"), text)


@pytest.mark.parametrize(
    "text",
    ['{"mcpServers": {"a": {}}, "mcpServers": {}}', '{"mcpServers": {}, "mcpServers": {"a": {}}}'],
)
def test_of_a_repeated_key_the_last_one_counts_as_it_does_for_the_app(text: str) -> None:
    first = text.index("mcpServers", 5)
    new = edited(Format.JSON, Path("config"), text, ("mcpServers", "toolbooth"), {"url": "u"})
    assert new[:first] == text[:first]
    assert "toolbooth" in read(Format.JSON, Path("config"), new)["mcpServers"]
