"""The files of packages: recorded, checked and shared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from router.discovery.packages.package_files import (
    changed_file,
    disk_usage,
    record_files,
    remove_unused,
)
from router.discovery.sandbox.sandbox import remove_tree

CODE = "console.log(1)\n" * 10_000


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    return tmp_path / ".shared"


def package(folder: Path, **files: str) -> Path:
    for name, text in ({"main": CODE} | files).items():
        path = folder / "lib" / f"{name}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "link.js").symlink_to("lib/main.js")
    return folder


def rewrite(file: Path, text: str, *, mtime_ns: int | None = None) -> None:
    """In place, so that the file stays the same one."""
    file.chmod(0o600)
    file.write_text(text)
    if mtime_ns is not None:
        os.utime(file, ns=(mtime_ns, mtime_ns))


def test_equal_files_of_two_packages_are_on_the_disk_once(tmp_path: Path, shared: Path) -> None:
    one, two = package(tmp_path / "one"), package(tmp_path / "two", extra=f"{CODE}//2")
    before = disk_usage(tmp_path)
    for folder in (one, two):
        record_files(folder, shared)
    assert (one / "lib/main.js").samefile(two / "lib/main.js")
    assert (two / "lib/main.js").read_text() == CODE
    assert disk_usage(tmp_path) <= before * 0.7
    assert not (one / "lib/main.js").stat().st_mode & 0o222


def test_files_that_no_package_has_any_more_are_removed(tmp_path: Path, shared: Path) -> None:
    one, two = package(tmp_path / "one", own="1"), package(tmp_path / "two")
    for folder in (one, two):
        record_files(folder, shared)
    remove_tree(one)
    remove_unused(shared)
    assert [file.read_text() for file in shared.glob("*/*")] == [CODE]


def test_an_untouched_package_is_unchanged(tmp_path: Path, shared: Path) -> None:
    folder = package(tmp_path / "one")
    recorded = record_files(folder, shared)
    record_files(package(tmp_path / "two"), shared)
    assert changed_file(folder, recorded, thoroughly=False) is None
    (folder / "lib/main.js").touch()
    assert changed_file(folder, recorded, thoroughly=True) is None


def test_a_changed_removed_or_added_file_is_named(tmp_path: Path, shared: Path) -> None:
    def changed_by(change: str) -> str | None:
        folder = package(tmp_path / change)
        recorded = record_files(folder, shared)
        file = folder / "lib" / "main.js"
        match change:
            case "content":
                rewrite(file, CODE + " ")
            case "removed":
                file.unlink()
            case "added":
                (folder / "lib" / "sitecustomize.py").touch()
            case "link":
                (folder / "link.js").unlink()
                (folder / "link.js").symlink_to("/bin/sh")
            case "data":
                (folder / "lib" / "memory.json").touch()
            case _:
                (folder / ".cache").mkdir()
                (folder / ".cache" / "model.json").touch()
        return changed_file(folder, recorded, thoroughly=False)

    assert changed_by("content") == "lib/main.js"
    assert changed_by("removed") == "lib/main.js"
    assert changed_by("added") == "lib/sitecustomize.py"
    assert changed_by("link") == "link.js"
    assert changed_by("data") is None
    assert changed_by("cache") is None


def test_a_change_that_keeps_size_and_time_is_found_by_the_thorough_check(
    tmp_path: Path, shared: Path
) -> None:
    folder = package(tmp_path / "one")
    recorded = record_files(folder, shared)
    file = folder / "lib" / "main.js"
    rewrite(file, CODE.replace("1", "2"), mtime_ns=file.stat().st_mtime_ns)
    assert changed_file(folder, recorded, thoroughly=False) is None
    assert changed_file(folder, recorded, thoroughly=True) == "lib/main.js"


def test_a_package_cannot_bring_its_content_into_another(tmp_path: Path, shared: Path) -> None:
    one = package(tmp_path / "one")
    record_files(one, shared)
    rewrite(one / "lib/main.js", "evil")
    two = package(tmp_path / "two")
    record_files(two, shared)
    assert (two / "lib/main.js").read_text() == CODE
