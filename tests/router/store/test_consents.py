"""Consent is bound to what would run, not to a name."""

from __future__ import annotations

import hashlib
import json
import stat
import sys
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.domain.ids import ServerId
from router.store.consents import ConsentStore, resolved_program
from router.store.files import atomic_write
from tests.support.code_variables import CHOOSE_CODE

TIME = ServerId("time")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.fixture
def consents(tmp_path: Path) -> ConsentStore:
    return ConsentStore(tmp_path / "personal")


@pytest.fixture
def config(tmp_path: Path) -> ServerConfig:
    tool = program(tmp_path / "bin" / "time-server.cmd")
    env = {"PATH": str(tool.parent), "TZ": "UTC"}
    return ServerConfig(command=tool.name, args=("--local",), env=env)


@pytest.mark.proves("U-1")
def test_nothing_runs_before_the_user_consents(
    consents: ConsentStore, config: ServerConfig
) -> None:
    assert not consents.has(TIME, config)
    consents.grant(TIME, config)
    assert consents.has(TIME, config)
    assert not consents.has(ServerId("other"), config)


def test_a_consent_is_persistent_and_private(
    consents: ConsentStore, config: ServerConfig, tmp_path: Path
) -> None:
    consents.grant(TIME, config)
    assert ConsentStore(tmp_path / "personal").has(TIME, config)
    if sys.platform != "win32":
        file = tmp_path / "personal" / "consents.json"
        assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.proves("U-1")
@pytest.mark.parametrize(
    "change",
    [
        {"command": "other"},
        {"args": ("--local", "--delete-everything")},
        {"args": ("--local ",)},
        {"args": ("--Local",)},
        {"env": {"PATH": "/nowhere", "TZ": "UTC"}},
        {"cwd": "/elsewhere"},
    ],
)
def test_a_consent_covers_only_its_own_command(
    consents: ConsentStore, config: ServerConfig, change: dict[str, object]
) -> None:
    consents.grant(TIME, config)
    assert not consents.has(TIME, config.model_copy(update=change))


@pytest.mark.proves("U-1")
def test_a_new_environment_variable_needs_a_new_consent_but_a_harmless_new_value_does_not(
    consents: ConsentStore, config: ServerConfig
) -> None:
    consents.grant(TIME, config)
    other_value = {**config.env, "TZ": "CET"}
    other_name = {**config.env, "NODE_OPTIONS": "--require evil"}
    assert consents.has(TIME, config.model_copy(update={"env": other_value}))
    assert not consents.has(TIME, config.model_copy(update={"env": other_name}))


@pytest.mark.proves("U-1")
@pytest.mark.parametrize("name", sorted(CHOOSE_CODE | {"DATABASE_URL", "SOME_NEW_RUNTIME_STARTUP"}))
def test_a_new_value_of_any_other_variable_needs_a_new_consent(
    consents: ConsentStore, name: str
) -> None:
    before, after = (ServerConfig(command="/bin/sh", env={name: v}) for v in ("/a", "/b"))
    consents.grant(TIME, before)
    assert not consents.has(TIME, after)


@pytest.mark.proves("U-1")
def test_a_reference_to_another_secret_needs_a_new_consent(consents: ConsentStore) -> None:
    before, after = (
        ServerConfig(command="/bin/sh", env={"API_KEY": f"${{keyring:{name}}}"})
        for name in ("personal/notes/API_KEY", "personal/bank/API_KEY")
    )
    consents.grant(TIME, before)
    assert not consents.has(TIME, after)


@pytest.mark.parametrize("env", [{}, {"TZ": "UTC"}, {"PYTHONPATH": "/a"}])
def test_a_consent_of_an_earlier_version_holds_where_it_covered_as_much(
    consents: ConsentStore, tmp_path: Path, env: dict[str, str]
) -> None:
    """Before, it covered the values of a few variables only."""
    earlier = {"command": "/bin/sh", "args": [], "cwd": None, "env": sorted(env)}
    earlier |= {"code": {k: v for k, v in env.items() if k != "TZ"}, "program": "/bin/sh"}
    granted = hashlib.sha256(json.dumps(earlier, sort_keys=True).encode()).hexdigest()
    atomic_write(
        tmp_path / "personal" / "consents.json",
        json.dumps({"formatVersion": 1, "servers": {TIME: granted}}).encode(),
    )
    assert consents.has(TIME, ServerConfig(command="/bin/sh", env=env))


@pytest.mark.proves("U-1")
def test_another_program_found_first_needs_a_new_consent(
    consents: ConsentStore, config: ServerConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = config.model_copy(update={"env": {}})
    monkeypatch.setenv("PATH", f"{tmp_path / 'evil'}:{tmp_path / 'bin'}")
    consents.grant(TIME, plain)
    program(tmp_path / "evil" / "time-server.cmd")
    assert not consents.has(TIME, plain)


def test_the_program_is_looked_up_as_the_server_would(
    config: ServerConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = str(tmp_path / "bin" / "time-server.cmd")
    assert resolved_program(config) == tool
    monkeypatch.setenv("TOOLS", str(tmp_path / "bin"))
    by_reference = config.model_copy(update={"env": {"PATH": "/nowhere:${env:TOOLS}"}})
    assert resolved_program(by_reference) == tool
    relative = ServerConfig(command="./bin/time-server.cmd", cwd=str(tmp_path))
    assert resolved_program(relative) == tool
    assert resolved_program(ServerConfig(command="no-such-program")) is None


def test_an_http_server_needs_no_consent(consents: ConsentStore) -> None:
    assert consents.has(TIME, ServerConfig(url="https://example.com/mcp"))


def test_a_forgotten_consent_is_gone(consents: ConsentStore, config: ServerConfig) -> None:
    consents.grant(TIME, config)
    consents.grant(ServerId("other"), config)
    consents.forget(TIME)
    consents.forget(TIME)
    assert not consents.has(TIME, config)
    assert consents.has(ServerId("other"), config)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"formatVersion": 2}', '{"formatVersion": 1, "servers": {"time": 1}}']
)
def test_an_unusable_file_has_no_consent_and_is_replaced(
    consents: ConsentStore, config: ServerConfig, tmp_path: Path, text: str
) -> None:
    (tmp_path / "personal").mkdir()
    (tmp_path / "personal" / "consents.json").write_text(text)
    assert not consents.has(TIME, config)
    consents.grant(TIME, config)
    assert consents.has(TIME, config)


def test_a_program_that_is_gone_is_told_from_one_that_was_never_consented_to(
    consents: ConsentStore, config: ServerConfig, tmp_path: Path
) -> None:
    assert not consents.lost_program(TIME, config)
    consents.grant(TIME, config)
    assert not consents.lost_program(TIME, config)
    (tmp_path / "bin" / "time-server.cmd").unlink()
    assert consents.lost_program(TIME, config)
    assert not consents.has(TIME, config)
    assert not consents.lost_program(ServerId("other"), config)
