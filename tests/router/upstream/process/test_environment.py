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
        "UV_INDEX_URL": "https://me:password@index.example",
        "PYTHONPATH": "/evil",
        "LD_LIBRARY_PATH": "/bundle",
        "SHELL": "() { :; }",
    }
    inherited = server_environment(ours, {}, windows=False, frozen=False)
    assert set(inherited) == {"HOME", "PATH", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy"}


NETWORK = {
    "SSL_CERT_FILE": "/corp/ca.pem",
    "SSL_CERT_DIR": "/corp/certs",
    "REQUESTS_CA_BUNDLE": "/corp/ca.pem",
    "CURL_CA_BUNDLE": "/corp/ca.pem",
    "NODE_EXTRA_CA_CERTS": "/corp/ca.pem",
    "HTTPS_PROXY": "http://proxy:3128",
    "all_proxy": "socks5://proxy:1080",
    "NO_PROXY": "localhost",
    "npm_config_cafile": "/corp/ca.pem",
    "NPM_CONFIG_REGISTRY": "https://npm.corp.example",
    "npm_config_@corp:registry": "https://npm.corp.example",
    "PIP_INDEX_URL": "https://pypi.corp.example/simple",
    "PIP_CERT": "/corp/ca.pem",
    "UV_DEFAULT_INDEX": "https://pypi.corp.example/simple",
}


@pytest.mark.parametrize("windows", [False, True])
def test_private_certificates_proxies_and_registries_are_inherited(windows: bool) -> None:
    inherited = server_environment(NETWORK, {}, windows=windows, frozen=False)
    assert {name.upper() for name in inherited} == {name.upper() for name in NETWORK}


def test_the_password_of_a_registry_is_not_inherited() -> None:
    ours = {"PIP_INDEX_URL": "https://me:password@pypi.example", "npm_config__auth": "cGFzcw=="}
    assert server_environment(ours, {}, windows=False, frozen=False) == {}


def test_folders_of_a_login_shell_come_after_those_on_path(tmp_path: Path) -> None:
    executable(tmp_path / ".local/bin/uvx")
    executable(tmp_path / ".nvm/versions/node/v20.1.0/bin/npx")
    executable(tmp_path / ".nvm/versions/node/v22.9.0/bin/npx")
    (tmp_path / ".nvm/alias/lts").mkdir(parents=True)
    (tmp_path / ".nvm/alias/default").write_text("lts/iron\n")
    (tmp_path / ".nvm/alias/lts/iron").write_text("v20.1.0\n")
    ours = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    environment = server_environment(ours, {}, windows=False, frozen=False)
    assert environment["PATH"].startswith("/usr/bin:/bin:")
    assert find_command("uvx", environment, None) == str(tmp_path / ".local/bin/uvx")
    assert str(tmp_path / ".nvm/versions/node/v20.1.0/bin") in environment["PATH"].split(":")
    configured = server_environment(ours, {"PATH": "/mine"}, windows=False, frozen=False)
    assert configured["PATH"] == "/mine"


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
