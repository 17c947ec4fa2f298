"""Discovery as the router does it, with real servers in a real sandbox."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from router.api.events import AttentionNeeded, DiscoveryProgressed
from router.config.server import ServerConfig
from router.config.settings import IsolationSettings
from router.discovery.sandbox import sandbox
from router.discovery.sandbox.launch_spec import SandboxProfile
from router.discovery.sandbox.self_test import SandboxSupport, supported_sandbox
from router.domain.errors import InvalidInput
from router.domain.failure_text import advise
from router.domain.failures import FailureKind
from router.domain.ids import ServerRef
from router.domain.receipts import DiscoveryAccess, IsolationLevel, Reason, SharedPath, Why
from router.domain.servers import DiscoveryStatus, DiscoveryStep, ServerStatus
from router.service.discovery_planner import discovery_environment
from tests.router.discovery.sandbox.confined_program import offered_profiles
from tests.support.listed_server import ListedServer
from tests.support.router_process import ROOT
from tests.support.running_router import PERSONAL, RunningRouter, running_router, stdio_config

ENVIRONMENT_SERVER = ROOT / "tests" / "servers" / "environment_server.py"
CONFINED = supported_sandbox().profile.level >= IsolationLevel.CONFINED


def environment_server(*options: str, **more: Any) -> ServerConfig:
    return stdio_config(*options, script=ENVIRONMENT_SERVER, **more)


def status_of(running: RunningRouter, ref: ServerRef) -> ServerStatus:
    return next(s for s in running.router.servers.list(PERSONAL) if s.id == ref.server)


def environment_of(running: RunningRouter, ref: ServerRef) -> dict[str, Any]:
    [tool] = running.router.tools.list(ref)
    return json.loads(tool.description)


async def begin(running: RunningRouter, name: str, config: ServerConfig) -> ServerRef:
    return ServerRef(
        PERSONAL, await running.router.servers.add(PERSONAL, name, config, consent=True)
    )


async def until_step(running: RunningRouter, ref: ServerRef, step: DiscoveryStep) -> None:
    await running.trace.until(DiscoveryProgressed, lambda e: (e.ref, e.step) == (ref, step))


async def isolate(running: RunningRouter, **settings: Any) -> None:
    await running.router.settings.update({"isolation": IsolationSettings(**settings)})


def processes_named(word: str) -> list[str]:
    """Of all on this computer: the argument is one that no concurrent test run uses."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if word in text.split("\0"):
            found.append(text)
    return found


@pytest.fixture
def port() -> Generator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.mark.proves("DISC-1", "DISC-2")
async def test_adding_a_server_returns_at_once_while_its_tools_are_discovered(
    running: RunningRouter,
) -> None:
    ref = await begin(running, "Slow", environment_server("--silent", "slow-one"))
    assert status_of(running, ref).discovery is DiscoveryStatus.DISCOVERING
    assert status_of(running, ref).tool_count is None


@pytest.mark.proves("DISC-1", "DISC-9")
async def test_editing_a_server_cancels_its_discovery_and_starts_a_new_one(
    running: RunningRouter, tmp_path: Path
) -> None:
    edited = str(tmp_path / "edited-one")
    ref = await begin(running, "Edited", environment_server("--silent", edited))
    await until_step(running, ref, DiscoveryStep.CONNECTING)
    await running.router.servers.update(ref, "Edited", environment_server(), consent=True)
    assert processes_named(edited) == []
    await until_step(running, ref, DiscoveryStep.COMPLETE)
    assert status_of(running, ref).failure is None


@pytest.mark.proves("DISC-3")
async def test_each_step_of_a_discovery_is_published(running: RunningRouter) -> None:
    ref = await begin(running, "Test", environment_server())
    await until_step(running, ref, DiscoveryStep.COMPLETE)
    steps = [e.step for e in running.trace.events if isinstance(e, DiscoveryProgressed)]
    assert steps == ["starting", "connecting", "discovering", "caching", "complete"]


@pytest.mark.proves("DISC-2", "DISC-3")
async def test_a_failed_discovery_is_published_with_its_error(running: RunningRouter) -> None:
    broken = stdio_config("--exit-at-start", "3")
    ref = ServerRef(
        PERSONAL, await running.router.servers.add(PERSONAL, "Broken", broken, consent=False)
    )
    before = status_of(running, ref)
    assert (before.discovery, before.listed_at) == (DiscoveryStatus.NEVER, None)
    await running.router.servers.grant_consent(ref)
    await until_step(running, ref, DiscoveryStep.FAILED)
    after = status_of(running, ref)
    assert (after.discovery, after.listed_at) == (DiscoveryStatus.FAILED, None)
    assert after.failure is not None
    assert (after.failure.kind, after.failure.subject) == (FailureKind.EXITED, "code 3")


@pytest.mark.proves("DISC-2")
async def test_a_successful_discovery_records_its_time(running: RunningRouter) -> None:
    began = datetime.now(UTC)
    ref = await running.add("Test", environment_server())
    status = status_of(running, ref)
    assert status.discovery is DiscoveryStatus.SUCCESS
    assert status.listed_at is not None
    assert began <= status.listed_at <= datetime.now(UTC)


@pytest.mark.proves("DISC-4")
async def test_two_discoveries_run_at_once_and_the_third_waits(
    running: RunningRouter,
) -> None:
    refs = [
        await begin(running, f"S{i}", environment_server("--silent", f"queued-{i}"))
        for i in range(3)
    ]
    for ref in refs[:2]:
        await until_step(running, ref, DiscoveryStep.CONNECTING)
    assert status_of(running, refs[2]).step is DiscoveryStep.STARTING
    await running.router.discovery.cancel(PERSONAL, refs[0].server)
    await until_step(running, refs[2], DiscoveryStep.CONNECTING)


@pytest.mark.proves("DISC-4")
async def test_concurrent_requests_for_a_server_share_one_discovery(running: RunningRouter) -> None:
    ref = await begin(running, "Test", environment_server())
    refresh = running.router.discovery.refresh
    await asyncio.gather(*(refresh(PERSONAL, ref.server) for _ in range(5)))
    started = [e for e in running.trace.events if isinstance(e, DiscoveryProgressed)]
    assert [e.step for e in started].count(DiscoveryStep.STARTING) == 1


@pytest.mark.proves("DISC-6")
async def test_a_cancelled_discovery_leaves_no_process_and_says_so(
    running: RunningRouter, tmp_path: Path
) -> None:
    cancelled = str(tmp_path / "cancelled-one")
    ref = await begin(running, "Slow", environment_server("--silent", cancelled))
    await until_step(running, ref, DiscoveryStep.CONNECTING)
    await running.router.discovery.cancel(PERSONAL)
    status = status_of(running, ref)
    assert (status.discovery, status.step) == (DiscoveryStatus.FAILED, None)
    assert status.failure is not None
    assert status.failure.kind is FailureKind.CANCELLED
    assert processes_named(cancelled) == []


@pytest.mark.proves("DISC-2", "DISC-5")
async def test_a_server_that_times_out_is_ended_with_all_its_processes(
    running: RunningRouter, tmp_path: Path
) -> None:
    late = str(tmp_path / "late-one")
    config = environment_server("--silent", late, discovery_timeout_s=1.5)
    ref = await running.add("Late", config)
    status = status_of(running, ref)
    assert status.discovery is DiscoveryStatus.TIMEOUT
    assert status.failure is not None
    assert (status.failure.kind, status.failure.subject) == (FailureKind.TIMEOUT, "1.5 s")
    assert processes_named(late) == []
    assert list((tmp_path / "data" / "runs").iterdir()) == []


@pytest.mark.proves("DISC-5")
def test_the_discovery_timeout_is_30_seconds_and_at_most_120() -> None:
    assert environment_server().discovery_timeout_s == 30
    assert environment_server(discovery_timeout_s=120).discovery_timeout_s == 120
    with pytest.raises(ValidationError):
        environment_server(discovery_timeout_s=121)


@pytest.mark.proves("DISC-6")
async def test_a_server_is_discovered_in_its_own_home_with_placeholders_for_secrets(
    running: RunningRouter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_SESSION", "s3cret-session")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:s3cret-proxy@proxy.example")
    env = {"API_TOKEN": "${env:SECRET_OF_THE_SESSION}", "MODE": "plain", "WHERE": "${env:PATH}:/x"}
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "letter").touch()
    ref = await running.add("Test", environment_server(str(folder), env=env))
    environment = environment_of(running, ref)
    assert "s3cret" not in json.dumps(environment)
    assert environment["env"]["API_TOKEN"] == "toolbooth-placeholder"
    assert environment["env"]["MODE"] == "plain"
    assert environment["env"]["WHERE"].endswith(":/x")
    assert environment["env"]["HOME"] != str(Path.home())
    assert (environment["home"], environment["writable"]) == ([], True)
    assert environment["cwd"] == environment["env"]["HOME"]
    assert environment["folders"] == {str(folder): ["letter"]}, "its command names it"
    assert list((tmp_path / "data" / "runs").iterdir()) == []


@pytest.mark.proves("DISC-6")
async def test_the_status_says_which_protections_were_in_force(running: RunningRouter) -> None:
    ref = await running.add("Test", environment_server())
    protection = status_of(running, ref).protection
    assert protection is not None
    assert protection.level == supported_sandbox().profile.level
    assert protection.files_blocked == CONFINED
    assert protection.network is not CONFINED
    assert protection.memory_mb == 512


@pytest.mark.proves("DISC-6")
async def test_strict_limits_give_less_memory_and_cpu(
    running: RunningRouter,
) -> None:
    await isolate(running, strict=True)
    ref = await running.add("Test", environment_server())
    protection = status_of(running, ref).protection
    assert protection is not None
    assert (protection.memory_mb, protection.cpu_percent) == (256, 25)


async def test_attempts_of_a_server_are_stored_in_its_receipt(
    running: RunningRouter, tmp_path: Path
) -> None:
    ref = await running.add("Test", environment_server("--open", "/root/.ssh/id_rsa"))
    receipt = running.router.discovery.receipt(ref)
    assert receipt is not None
    assert receipt.watched == supported_sandbox().profile.watch
    assert ("/root/.ssh/id_rsa" in receipt.files) == receipt.watched
    assert receipt.unseen, "it says what it can't know"
    await running.router.stop()
    async with running_router(tmp_path / "data") as again:
        assert again.router.discovery.receipt(ref) == receipt
        assert status_of(again, ref).protection == receipt.protection


@pytest.mark.proves("DISC-6")
async def test_a_server_has_network_access_once_the_user_agrees(
    running: RunningRouter, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELLING_KEY", "s3cret-value")
    config = environment_server("--needs-port", str(port), env={"KEY": "${env:TELLING_KEY}"})
    ref = await running.add("Test", config)
    if not CONFINED:
        assert status_of(running, ref).discovery is DiscoveryStatus.SUCCESS
        return
    asked = await running.trace.until(AttentionNeeded)
    assert asked.failure.kind is FailureKind.NETWORK_NEEDED
    assert asked.failure.detail == f"127.0.0.1:{port}"
    await running.router.discovery.allow(ref, DiscoveryAccess.NETWORK)
    await until_step(running, ref, DiscoveryStep.COMPLETE)
    assert environment_of(running, ref)["env"]["KEY"] == "s3cret-value", (
        "placeholders would be no use"
    )
    assert status_of(running, ref).access is DiscoveryAccess.NETWORK
    changed = config.model_copy(update={"args": (*config.args, "--open", "/x")})
    await running.router.servers.update(ref, "Test", changed, consent=True)
    assert status_of(running, ref).access is DiscoveryAccess.ISOLATED, "agreed to something else"


async def test_an_unconfined_server_is_discovered_without_a_sandbox(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    ref = await running.add("Test", stdio_config("--record", str(record)))
    assert CONFINED is not record.exists()
    running.trace.clear()
    await running.router.discovery.allow(ref, DiscoveryAccess.UNCONFINED)
    await until_step(running, ref, DiscoveryStep.COMPLETE)
    assert record.exists()
    protection = status_of(running, ref).protection
    assert protection is not None
    assert protection.level is IsolationLevel.NONE


@pytest.mark.proves("DISC-6")
async def test_a_server_that_takes_too_much_memory_is_ended_and_named(
    running: RunningRouter,
) -> None:
    await isolate(running, memory_mb=64)
    ref = await running.add("Greedy", environment_server("--eat"))
    failure = status_of(running, ref).failure
    assert failure is not None
    assert (failure.kind, failure.subject) == (FailureKind.TOO_MUCH_MEMORY, "64 MB")


@pytest.mark.proves("DISC-6")
async def test_below_the_required_isolation_level_nothing_starts(
    running: RunningRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = SandboxSupport(SandboxProfile(IsolationLevel.LIMITED), (Reason(Why.NO_BUBBLEWRAP),))
    planner: Any = running.router._upstreams.discovery_planner  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(planner._sandbox, "_find_support", lambda: weak)
    await isolate(running, required_level=2)
    ref = await running.add("Test", environment_server())
    failure = status_of(running, ref).failure
    assert failure is not None
    assert failure.kind is FailureKind.ISOLATION_TOO_WEAK
    assert failure.detail == "here it is level 1. bubblewrap (bwrap) is not installed."
    assert not [
        e for e in running.trace.events if e == DiscoveryProgressed(ref, DiscoveryStep.CONNECTING)
    ]


@pytest.mark.proves("DISC-6")
def test_run_folders_of_a_killed_router_are_removed(tmp_path: Path) -> None:
    left = tmp_path / "4000000-abc" / "home"
    left.mkdir(parents=True)
    (left / "file").touch()
    left.chmod(0o000)
    runs = sandbox.Sandbox(tmp_path, tmp_path, tmp_path)
    runs._sweep()  # pyright: ignore[reportPrivateUsage]
    assert list(tmp_path.iterdir()) == []


DATABASE_DOWN = {"error": {"code": -32603, "message": "connect ECONNREFUSED 127.0.0.1:5432"}}
TABLES = {"result": {"resources": [{"name": "users", "uri": "postgres://db/users"}]}}


async def test_tools_are_listed_though_resources_are_not_and_a_later_refresh_fills_them_in(
    running: RunningRouter, tmp_path: Path
) -> None:
    listed = ListedServer(tmp_path / "list.json")
    query = {"name": "query", "description": "Run a query."}
    listed.has(query, answers={"resources/list": DATABASE_DOWN})
    ref = await running.add("Postgres", listed.config)

    async def unread_and_resources() -> tuple[dict[str, str], list[str]]:
        status = status_of(running, ref)
        assert (status.discovery, status.tool_count) == (DiscoveryStatus.SUCCESS, 1)
        lists = running.router.servers.prompts_and_resources(ref)
        return dict(status.unread), [resource.name for resource in lists.resources]

    down = {"resources": "connect ECONNREFUSED 127.0.0.1:5432"}
    assert await unread_and_resources() == (down, [])
    listed.has(query, answers={"resources/list": TABLES})
    await running.router.discovery.refresh(PERSONAL, ref.server)
    assert await unread_and_resources() == ({}, ["users"])
    listed.has(query, answers={"resources/list": DATABASE_DOWN})
    await running.router.discovery.refresh(PERSONAL, ref.server)
    assert await unread_and_resources() == (down, ["users"])  # what is known stays


@pytest.mark.parametrize("method", ["initialize", "tools/list"])
@pytest.mark.parametrize("access", [DiscoveryAccess.ISOLATED, DiscoveryAccess.UNCONFINED])
async def test_an_error_of_the_server_is_told_in_its_words(
    running: RunningRouter, tmp_path: Path, method: str, access: DiscoveryAccess
) -> None:
    listed = ListedServer(tmp_path / "list.json")
    listed.has(answers={method: {"error": {"code": -32603, "message": "fetch failed"}}})
    ref = await begin(running, "Web", listed.config)
    await running.router.discovery.allow(ref, access)
    await running.router.discovery.refresh(PERSONAL, ref.server)
    failure = status_of(running, ref).failure
    assert failure is not None
    assert failure.kind is FailureKind.SERVER_ERROR
    assert str(advise(failure, "Web")).startswith("Web: Reported an error: fetch failed.")


@pytest.fixture
def user_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, with a file and a vault in it."""
    home = tmp_path / "home"
    (home / ".wrangler").mkdir(parents=True)
    (home / ".wrangler" / "default.toml").write_text("token")
    (home / "vault").mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.mark.parametrize(
    "profile", [each for each in offered_profiles() if each.level >= IsolationLevel.CONFINED]
)
async def test_a_server_that_needs_files_asks_for_them_one_after_the_other(
    user_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: SandboxProfile
) -> None:
    """A file in the home that the sandbox replaces, then a folder that it shows read-only."""

    async def support(_: sandbox.Sandbox) -> SandboxSupport:
        return SandboxSupport(profile, ())

    monkeypatch.setattr(sandbox.Sandbox, "support", support)
    vault = user_home / "vault"
    config = environment_server(
        str(vault),
        env={"NEEDS_FILE": "~/.wrangler/default.toml", "WRITES_FILE": f"{vault}/.index"},
    )
    async with running_router(tmp_path / "data") as running:
        ref = await running.add("Notes", config)
        for share, option in (
            (SharedPath(str(user_home / ".wrangler")), "--read"),
            (SharedPath(str(vault), writable=True), "--write"),
        ):
            failure = status_of(running, ref).failure
            assert failure is not None
            assert (failure.kind, failure.share) == (FailureKind.FILES_NEEDED, share)
            assert f"toolbooth approve notes {option} {share.path}" in str(advise(failure, "Notes"))
            await running.router.discovery.share(ref, [share])
            await running.router.discovery.refresh(PERSONAL, ref.server)
        status = status_of(running, ref)
        assert status.discovery is DiscoveryStatus.SUCCESS
        assert status.protection is not None
        assert {each.path for each in status.protection.shared} == {
            str(user_home / ".wrangler"),
            str(vault),
        }
        assert (vault / ".index").read_text() == "written"
        assert (user_home / ".wrangler" / "default.toml").read_text() == "token"
        await running.router.discovery.allow(ref, DiscoveryAccess.ISOLATED)
        await running.router.discovery.refresh(PERSONAL, ref.server)
        assert status_of(running, ref).failure is not None, "nothing is shared any more"


async def test_a_shared_folder_is_not_shared_with_another_configuration(
    user_home: Path, tmp_path: Path
) -> None:
    if not CONFINED:
        return
    config = environment_server(env={"NEEDS_FILE": "~/.wrangler/default.toml"})
    async with running_router(tmp_path / "data") as running:
        ref = await running.add("Notes", config)
        await running.router.discovery.share(ref, [SharedPath(str(user_home / ".wrangler"))])
        await running.router.discovery.refresh(PERSONAL, ref.server)
        assert status_of(running, ref).discovery is DiscoveryStatus.SUCCESS
        changed = config.model_copy(update={"args": (*config.args, "--open", "/x")})
        await running.router.servers.update(ref, "Notes", changed, consent=True)
        await running.router.discovery.refresh(PERSONAL, ref.server)
        failure = status_of(running, ref).failure
        assert failure is not None
        assert failure.kind is FailureKind.FILES_NEEDED


@pytest.mark.parametrize("path", ["~", "/", "{data}", "{data}/workspaces", "~/missing"])
async def test_what_is_too_much_or_ours_cannot_be_shared(
    user_home: Path, tmp_path: Path, path: str
) -> None:
    data = user_home / "data"
    async with running_router(data) as running:
        ref = await running.add("Notes", environment_server())
        given = path.replace("~", str(user_home)).format(data=data)
        with pytest.raises(InvalidInput):
            await running.router.discovery.share(ref, [SharedPath(given)])


def test_discovery_with_network_gets_the_proxy_and_one_without_does_not() -> None:
    ours = {"PATH": "/bin", "https_proxy": "http://proxy", "SSL_CERT_FILE": "/corp/ca.pem"}
    ours |= {"npm_config_registry": "https://npm.example"}
    assert discovery_environment(ours, {}, {}, network=True) == {**ours, "USER": "toolbooth"}
    isolated = discovery_environment(ours, {}, {}, network=False)
    assert isolated == {"PATH": "/bin", "SSL_CERT_FILE": "/corp/ca.pem", "USER": "toolbooth"}
