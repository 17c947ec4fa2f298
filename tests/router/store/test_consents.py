"""Consent is bound to what would run, not to a name."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from router.config.server import ServerConfig
from router.domain.ids import ServerId
from router.domain.receipts import DiscoveryAccess, SharedPath
from router.store.consent_key import FILE_NAME, ConsentKey
from router.store.consents import ConsentStore, fingerprint, resolved_program
from router.store.files import atomic_write
from router.store.json_file import UnusableFile
from tests.support.code_variables import CHOOSE_CODE

TIME = ServerId("time")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def open_consents(data_dir: Path, workspace: str = "personal") -> ConsentStore:
    return ConsentStore(data_dir / workspace, ConsentKey(data_dir / FILE_NAME))


@pytest.fixture
def consents(tmp_path: Path) -> ConsentStore:
    return open_consents(tmp_path)


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
    assert open_consents(tmp_path).has(TIME, config)
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


@pytest.mark.proves("U-1")
def test_a_file_from_elsewhere_contains_no_consent(
    consents: ConsentStore, config: ServerConfig, tmp_path: Path
) -> None:
    """Unsigned, signed with another key, or of another workspace or server."""
    other = open_consents(tmp_path / "other")
    other.grant(TIME, config)
    other.allow(TIME, config, DiscoveryAccess.UNCONFINED)
    elsewhere = open_consents(tmp_path, "work")
    elsewhere.grant(TIME, config)
    unsigned = {"formatVersion": 1, "servers": {TIME: fingerprint(config)}}
    planted = [
        (tmp_path / "other" / "personal" / "consents.json").read_bytes(),
        (tmp_path / "work" / "consents.json").read_bytes(),
        json.dumps(unsigned).encode(),
        json.dumps({**unsigned, "formatVersion": 2}).encode(),
        json.dumps({"formatVersion": 2, "servers": {TIME: "\ud800"}}).encode(),
    ]
    for content in planted:
        atomic_write(tmp_path / "personal" / "consents.json", content)
        assert not consents.has(TIME, config)
        assert consents.access(TIME, config) is DiscoveryAccess.ISOLATED
        assert not open_consents(tmp_path).has(TIME, config)
    consents.grant(TIME, config)
    assert consents.has(TIME, config)
    copied = json.loads((tmp_path / "personal" / "consents.json").read_text())
    copied["servers"]["other"] = copied["servers"][TIME]
    atomic_write(tmp_path / "personal" / "consents.json", json.dumps(copied).encode())
    assert not consents.has(ServerId("other"), config)


def test_access_is_signed_with_the_configuration_it_was_granted_for(
    consents: ConsentStore, config: ServerConfig, tmp_path: Path
) -> None:
    consents.allow(TIME, config, DiscoveryAccess.NETWORK)
    assert open_consents(tmp_path).access(TIME, config) is DiscoveryAccess.NETWORK
    other = config.model_copy(update={"args": ("--other",)})
    assert consents.access(TIME, other) is DiscoveryAccess.ISOLATED
    path = tmp_path / "personal" / "consents.json"
    path.write_text(path.read_text().replace("network", "unconfined"))
    assert consents.access(TIME, config) is DiscoveryAccess.ISOLATED


@pytest.mark.parametrize("damage", [b"", b"short"])
def test_a_damaged_key_is_kept_and_signs_nothing(
    consents: ConsentStore, config: ServerConfig, tmp_path: Path, damage: bytes
) -> None:
    consents.grant(TIME, config)
    (tmp_path / FILE_NAME).write_bytes(damage)
    again = open_consents(tmp_path)
    assert not again.has(TIME, config)
    with pytest.raises(UnusableFile, match=r"consent\.key: it is not a key"):
        again.grant(TIME, config)
    assert (tmp_path / FILE_NAME).read_bytes() == damage


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


def test_shared_files_are_signed_and_hold_for_one_configuration(
    consents: ConsentStore, tmp_path: Path
) -> None:
    config = ServerConfig(command="server")
    vault = SharedPath("/home/me/my vault", writable=True)
    shared = (vault, SharedPath("/home/me/.x"))
    consents.share(TIME, config, shared)
    assert consents.shared(TIME, config) == shared
    assert consents.shared(TIME, ServerConfig(command="other")) == ()
    file = tmp_path / "personal" / "consents.json"
    file.write_text(file.read_text().replace("ro /home/me/.x", "rw /home/me/.x"))
    assert consents.shared(TIME, config) == ()
    consents.share(TIME, config, shared)
    consents.forget(TIME)
    assert consents.shared(TIME, config) == ()
