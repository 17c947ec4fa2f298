"""Packages are fetched once and then run from their folder.

The registry is a small program named `npm` on the PATH; `tests/e2e` tests the real ones.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from router.api.events import DiscoveryProgressed, ToolsChanged
from router.config.server import ServerConfig
from router.discovery.packages import package_store
from router.discovery.packages.installed import Installed
from router.discovery.packages.installer_process import Fetch, fetch_environment
from router.discovery.packages.package_store import PackageStore
from router.discovery.packages.runners import PackageRun
from router.domain.failures import FailureKind
from router.domain.ids import ServerId, ServerRef
from router.domain.servers import DiscoveryStatus
from router.domain.tool_lists import ApprovalPolicy
from router.runtime.clock import utc_now
from router.store.consent_key import ConsentKey
from tests.router.discovery.test_discovery import status_of
from tests.servers.commands import is_running
from tests.support.fifo import Fifo
from tests.support.router_process import NODE
from tests.support.running_router import PERSONAL, RunningRouter, running_router

NPM = """\
#!{python}
import json, os, sys
from pathlib import Path
log = Path({log!r})
log.write_text(json.dumps({{"args": sys.argv[1:], "env": dict(os.environ)}}))
if (broken := Path({broken!r})).exists():
    print("npm error code ETARGET")
    print("npm error notarget No matching version found for @scope/server@9.")
    sys.exit(1)
home = Path("node_modules/@scope/server")
home.mkdir(parents=True)
version = Path({version!r}).read_text()
program = Path({program!r}).read_text()
about = {{"name": "@scope/server", "version": version, "bin": {{"server": program}}}}
(home / "package.json").write_text(json.dumps(about))
(home / "cli.js").write_text({script!r})
lock = {{"packages": {{"node_modules/@scope/server": {{"integrity": "sha512-" + version}}}}}}
Path("node_modules/.package-lock.json").write_text(json.dumps(lock))
"""
SERVER = """\
#!/usr/bin/env node
const fs = require("fs"), about = fs.readFileSync(__dirname + "/package.json");
const version = JSON.parse(about).version;
const answers = {
  initialize: () => ({protocolVersion: "2025-11-25", capabilities: {tools: {}},
                      serverInfo: {name: "server", version}}),
  "tools/list": () => ({tools: [{name: "where", description: "version " + version,
                                 inputSchema: {type: "object"}}]}),
  "tools/call": () => ({content: [{type: "text", text: JSON.stringify(process.argv.slice(1))}]}),
};
require("readline").createInterface({input: process.stdin}).on("line", line => {
  const {id, method} = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  console.log(JSON.stringify({jsonrpc: "2.0", id, ...(answer
    ? {result: answer()} : {error: {code: -32601, message: "no"}})}));
});
"""


class Registry:
    """An `npm` that installs one package, of a version the test chooses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "bin"
        self.folder.mkdir()
        (self.folder / "node").symlink_to(NODE)
        self._log, self._version = folder / "log.json", folder / "version"
        self.broken, self.program = folder / "broken", folder / "program"
        self.program.write_text("cli.js")
        program = self.folder / "npm"
        program.write_text(
            NPM.format(
                python=sys.executable,
                log=str(self._log),
                broken=str(self.broken),
                version=str(self._version),
                program=str(self.program),
                script=SERVER,
            )
        )
        program.chmod(0o755)
        self.publish("1.0.0")

    def publish(self, version: str) -> None:
        self._version.write_text(version)

    @property
    def last_fetch(self) -> dict[str, Any]:
        return json.loads(self._log.read_text())

    def config(self, *args: str, **env: str) -> ServerConfig:
        path = f"{self.folder}:/usr/bin:/bin"
        return ServerConfig(
            command="npx", args=("-y", "@scope/server", *args), env={"PATH": path, **env}
        )


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path)


async def test_a_package_is_fetched_without_scripts_or_secrets_and_then_listed_offline(
    running: RunningRouter, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_SESSION", "s3cret")
    monkeypatch.setenv("npm_config_registry", "https://registry.example")
    ref = await running.add("Test", registry.config(KEY="${env:OF_THE_SESSION}"))
    fetch = registry.last_fetch
    assert fetch["args"][0] == "install"
    assert "--ignore-scripts" in fetch["args"]
    assert fetch["args"][-2:] == ["--", "@scope/server"]
    assert "s3cret" not in json.dumps(fetch["env"])
    assert fetch["env"]["npm_config_registry"] == "https://registry.example"
    receipt = running.router.discovery.receipt(ref)
    assert receipt is not None
    assert receipt.package is not None
    package = receipt.package
    assert (package.name, package.version) == ("@scope/server", "1.0.0")
    assert package.integrity == "sha512-1.0.0"


async def test_a_server_in_use_runs_the_fetched_package_with_its_own_arguments(
    running: RunningRouter, registry: Registry, tmp_path: Path
) -> None:
    await running.add("Test", registry.config("--root", "/x"))
    result = await running.call("tool_execute", {"toolKey": "test:where"})
    script, *args = json.loads(result["content"][0]["text"])
    assert Path(script).is_relative_to(tmp_path / "data" / "packages" / "personal" / "test")
    assert args == ["--root", "/x"]


async def test_a_package_is_updated_only_when_the_user_asks(
    running: RunningRouter, registry: Registry, tmp_path: Path
) -> None:
    ref = await running.add("Test", registry.config())
    registry.publish("2.0.0")
    await running.router.discovery.refresh(PERSONAL, ref.server)
    assert listed_version(running, ref) == "version 1.0.0"
    (package_folder(tmp_path) / "node_modules/@scope/server/memory.json").write_text("mine")
    running.trace.clear()
    await running.router.discovery.refresh(PERSONAL, ref.server, packages=True)
    await running.trace.until(ToolsChanged)
    kept_data = package_folder(tmp_path) / "node_modules/@scope/server/memory.json"
    assert kept_data.read_text() == "mine", "what the server wrote beside its code stays"
    receipt = running.router.discovery.receipt(ref)
    assert receipt is not None
    assert receipt.package is not None
    assert receipt.package.version == "2.0.0"
    kept = tmp_path / "data" / "packages" / "personal" / "test"
    assert len([path for path in kept.iterdir() if path.is_dir()]) == 1, "the old one is gone"


def listed_version(running: RunningRouter, ref: ServerRef) -> str:
    [tool] = running.router.tools.list(ref)
    return tool.description


async def test_a_failed_fetch_says_why_and_leaves_nothing_behind(
    running: RunningRouter, registry: Registry, tmp_path: Path
) -> None:
    registry.broken.touch()
    ref = await running.add("Test", registry.config())
    status = status_of(running, ref)
    assert status.discovery is DiscoveryStatus.FAILED
    assert status.failure is not None
    assert status.failure.kind is FailureKind.PACKAGE_NOT_FOUND
    assert status.failure.detail == "No matching version found for @scope/server@9"
    assert list((tmp_path / "data" / "packages" / "personal" / "test").iterdir()) == []


async def test_without_the_registry_the_old_package_is_used(
    running: RunningRouter, registry: Registry
) -> None:
    ref = await running.add("Test", registry.config())
    registry.broken.touch()
    await running.router.discovery.refresh(PERSONAL, ref.server, packages=True)
    assert status_of(running, ref).failure is None


async def test_removing_a_server_removes_its_package(
    running: RunningRouter, registry: Registry, tmp_path: Path
) -> None:
    ref = await running.add("Test", registry.config())
    await running.router.servers.remove(ref)
    assert not (tmp_path / "data" / "packages" / "personal" / "test").exists()


def package_folder(tmp_path: Path) -> Path:
    [folder] = (tmp_path / "data" / "packages" / "personal" / "test").glob("*/")
    return folder


@pytest.mark.parametrize("name", ["cli.js", "node_modules_json.js", "package.json"])
async def test_a_package_that_was_changed_on_disk_is_not_started(
    running: RunningRouter, registry: Registry, tmp_path: Path, name: str
) -> None:
    ref = await running.add("Test", registry.config())
    file = package_folder(tmp_path) / "node_modules" / "@scope" / "server" / name
    if file.exists():
        file.chmod(0o600)
    file.write_text("require('fs').writeFileSync('/dev/null', 'another program')")
    result = await running.call("tool_execute", {"toolKey": "test:where"})
    assert result["isError"]
    assert "The downloaded package @scope/server was changed on disk" in json.dumps(result)
    await running.router.discovery.refresh(PERSONAL, ref.server)
    failure = status_of(running, ref).failure
    assert failure is not None
    assert failure.kind is FailureKind.PACKAGE_CHANGED
    assert failure.detail.endswith(name)
    await running.router.discovery.refresh(PERSONAL, ref.server, packages=True)
    assert status_of(running, ref).failure is None


async def test_a_planted_record_of_a_package_runs_nothing(
    running: RunningRouter, registry: Registry, tmp_path: Path
) -> None:
    await running.add("Test", registry.config())
    ran = tmp_path / "ran"
    current = tmp_path / "data" / "packages" / "personal" / "test" / "current.json"
    planted = json.loads(current.read_text()) | {"command": ["/usr/bin/touch", str(ran)]}
    current.write_text(json.dumps(planted))
    registry.broken.touch()
    (registry.folder / "npx").symlink_to("/bin/false")
    await running.call("tool_execute", {"toolKey": "test:where"})
    assert not ran.exists()


async def test_a_program_outside_its_package_is_refused(
    running: RunningRouter, registry: Registry
) -> None:
    registry.program.write_text("../../../../../../../../../../../../bin/sh")
    ref = await running.add("Test", registry.config())
    failure = status_of(running, ref).failure
    assert failure is not None
    assert "it has no program" in failure.detail


async def test_a_registry_in_the_servers_configuration_is_used(
    running: RunningRouter, registry: Registry
) -> None:
    """Otherwise a private package's name would be looked up in the public registry."""
    url = "https://npm.corp.example"
    await running.add("Test", registry.config(npm_config_registry=url))
    assert registry.last_fetch["env"]["npm_config_registry"] == url


async def test_cancelling_a_fetch_ends_its_installer_at_once(
    running: RunningRouter, registry: Registry, tmp_path: Path
) -> None:
    started = Fifo(tmp_path / "started")
    npm = registry.folder / "npm"
    npm.write_text(f"#!/bin/sh\necho $$ > {started.path}\nexec sleep 600\n")
    config = registry.config()
    server = await running.router.servers.add(PERSONAL, "Test", config, consent=True)
    pid = int(await started.line())
    await running.router.discovery.cancel(PERSONAL, server)
    assert not is_running(pid)
    failure = status_of(running, ServerRef(PERSONAL, server)).failure
    assert failure is not None
    assert failure.kind is FailureKind.CANCELLED
    started.close()


@pytest.mark.skipif(sys.platform != "linux", reason="file names are Unicode")
async def test_a_package_is_found_again_in_a_folder_whose_name_is_not_utf_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def install(*_: object) -> Installed:
        return Installed(("server",), "1.0.0", "sha512-1", sys.executable)

    monkeypatch.setattr(package_store, "install", install)
    store = PackageStore(tmp_path / os.fsdecode(b"\xff"), ConsentKey(tmp_path / "key"), utc_now)
    ref = ServerRef(PERSONAL, ServerId("s"))
    run = PackageRun(runner="npx", source="npm", specs=("server",))
    assert store.find(ref, run) is None
    stored = await store.fetch(ref, lambda folder: Fetch(run, folder, ""))
    assert store.find(ref, run) == stored


@pytest.mark.parametrize(
    "name",
    "npm_config_ignore_scripts npm_config_script_shell npm_config_node_options npm_config_git "
    "npm_config_global npm_config_prefix PIP_TARGET PIP_NO_BINARY PIP_PYTHON UV_NO_BINARY "
    "UV_TARGET UV_SYSTEM_PYTHON NODE_OPTIONS PYTHONPATH".split(),
)
def test_variables_that_load_code_or_install_elsewhere_do_not_reach_an_installer(name: str) -> None:
    assert fetch_environment({name: "x", "PATH": "/bin"}) == {"PATH": "/bin"}


def test_an_installer_gets_certificates_proxies_and_credentials_of_registries() -> None:
    ours = {
        "SSL_CERT_FILE": "/corp/ca.pem",
        "https_proxy": "http://proxy",
        "NPM_TOKEN": "t",
        "npm_config_//npm.corp/:_authToken": "t",
        "PIP_INDEX_URL": "https://me:pass@pypi.corp/simple",
        "UV_INDEX_CORP_PASSWORD": "p",
        "UV_PYTHON": "3.12",
    }
    assert fetch_environment(ours) == ours


def test_of_the_servers_own_variables_only_literal_ones_of_the_network_reach_an_installer() -> None:
    configured = {"API_KEY": "k", "HTTPS_PROXY": "http://p", "PIP_INDEX_URL": "${keyring:index}"}
    assert fetch_environment({}, configured) == {"HTTPS_PROXY": "http://p"}


@pytest.mark.proves("CACHE-4", "CACHE-3")
async def test_a_list_is_trusted_as_long_as_its_package_is_the_same(
    registry: Registry, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    async with running_router(data) as first:
        await first.router.tools.set_approval_policy(PERSONAL, ApprovalPolicy.TRUST)
        ref = await first.add("Test", registry.config())
    async with running_router(data) as same:
        assert not [e for e in same.trace.events if isinstance(e, DiscoveryProgressed)]
        registry.publish("2.0.0")
        # As if it was killed before it listed the tools of the new package.
        packages = same.router._upstreams.packages  # pyright: ignore[reportPrivateUsage]
        packages.renew(ref)
        await packages.resolve(ref, registry.config(), registry.config().env["PATH"])
    async with running_router(data) as second:
        await second.trace.until(ToolsChanged)
        assert listed_version(second, ref) == "version 2.0.0"
