"""What a server inherits and where its command is found."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from router.domain.errors import UpstreamFailed
from router.domain.failures import Failure, FailureKind
from router.upstream.process.environment import find_command, server_environment

POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")


def executable(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


@pytest.mark.proves("U-1")
def test_only_listed_variables_are_inherited() -> None:
    ours = {
        "HOME": "/home/me",
        "PATH": "/bin",
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": "/x",
        "https_proxy": "http://p",
        "AWS_SECRET_ACCESS_KEY": "s",
        "NODE_OPTIONS": "--require evil",
        "npm_config_yes": "true",
        "UV_INDEX_URL": "https://evil.example",
        "PYTHONPATH": "/evil",
        "LD_LIBRARY_PATH": "/bundle",
        "SHELL": "() { :; }",
    }
    inherited = server_environment(ours, {}, windows=False, frozen=False)
    assert set(inherited) == {"HOME", "PATH", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy"}


def test_the_servers_own_values_win() -> None:
    environment = server_environment(
        {"PATH": "/bin", "HOME": "/h"}, {"PATH": "/mine", "KEY": "v"}, windows=False, frozen=False
    )
    assert environment == {"PATH": "/mine", "HOME": "/h", "KEY": "v"}


def test_on_windows_variable_names_are_case_insensitive() -> None:
    environment = server_environment(
        {"Path": "C:\\a", "SystemRoot": "C:\\Windows", "TERM": "x"},
        {"path": "C:\\b", "Key": "v"},
        windows=True,
        frozen=False,
    )
    assert environment == {"PATH": "C:\\b", "SYSTEMROOT": "C:\\Windows", "KEY": "v"}


def test_a_bundle_restores_the_original_library_path() -> None:
    ours = {"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/mine"}
    assert server_environment(ours, {}, windows=False, frozen=True) == {"LD_LIBRARY_PATH": "/mine"}


@POSIX_ONLY
def test_a_command_is_looked_up_on_the_servers_own_path(tmp_path: Path) -> None:
    file = executable(tmp_path / "bin" / "serve")
    assert find_command("serve", {"PATH": str(file.parent)}, None) == str(file)


@POSIX_ONLY
def test_a_command_with_a_folder_is_relative_to_the_servers_folder(tmp_path: Path) -> None:
    file = executable(tmp_path / "serve")
    assert find_command("./serve", {}, str(tmp_path)) == str(file)
    assert find_command(str(file), {}, None) == str(file)


@POSIX_ONLY
@pytest.mark.parametrize("cwd", [None, "."])
def test_a_command_with_a_folder_is_never_looked_up_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cwd: str | None
) -> None:
    monkeypatch.setenv("PATH", str(executable(tmp_path / "bin" / "serve").parent))
    monkeypatch.chdir(tmp_path)
    assert failure_of("./serve", os.environ["PATH"], cwd).kind is FailureKind.COMMAND_NOT_FOUND
    file = executable(tmp_path / "serve")
    assert find_command("./serve", {}, cwd) == str(file)


def failure_of(command: str, path: str, cwd: str | None = None) -> Failure:
    with pytest.raises(UpstreamFailed) as caught:
        find_command(command, {"PATH": path}, cwd)
    return caught.value.failure


def test_a_missing_command_shows_the_searched_path(tmp_path: Path) -> None:
    path = os.pathsep.join([str(tmp_path), str(tmp_path / "b"), str(tmp_path)])
    expected = f"{tmp_path}, {tmp_path / 'b'}"
    assert failure_of("nope", path) == Failure(FailureKind.COMMAND_NOT_FOUND, "nope", expected)
    missing = failure_of("./nope", path, str(tmp_path))
    assert missing == Failure(FailureKind.COMMAND_NOT_FOUND, "./nope", str(tmp_path))


@POSIX_ONLY
def test_a_file_without_execute_permission_is_not_a_missing_command(tmp_path: Path) -> None:
    executable(tmp_path / "serve").chmod(0o644)
    failure = failure_of("./serve", "", str(tmp_path))
    assert failure == Failure(FailureKind.PERMISSION_DENIED, "./serve")
