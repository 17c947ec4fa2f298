"""Sandboxes of real processes: escape attempts at each supported level, as each user."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import sys
from pathlib import Path

import pytest

from router.discovery.sandbox.lacked_files import SandboxView
from router.discovery.sandbox.launch_spec import (
    OVER_LIMIT,
    LaunchSpec,
    SandboxLimits,
    SandboxProfile,
)
from router.discovery.sandbox.linux_escapes import linux_escapes
from router.discovery.sandbox.observations import Observations
from router.discovery.sandbox.sandbox import (
    Sandbox,
    SandboxedCommand,
    SandboxRequest,
    protection,
)
from router.discovery.sandbox.self_test import (
    SandboxSupport,
    best_profile,
    check_profile,
    sandbox_profiles,
)
from router.domain.receipts import IsolationLevel, Why
from router.upstream.process.stdio import ServerCommand
from tests.router.discovery.sandbox.confined_program import (
    User,
    escape_targets,
    offered,
    offered_profiles,
    run_confined,
    users,
)

LEVELS = [3, 2, 1]
USERS = [pytest.param(user, id=user.name) for user in users()]


@pytest.mark.proves("DISC-6")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("level", [3, 2])
def test_no_escape_succeeds_at_a_level_the_self_test_reports(level: int, user: User) -> None:
    if (profile := offered(level)) is None:
        return
    with escape_targets(user) as plan:
        run = run_confined(profile, user, json.dumps(plan))
    escaped = [name for name, worked in run.answer.items() if worked]
    assert escaped == [], run.err


def test_without_confinement_every_escape_succeeds() -> None:
    """Otherwise the attempts above would prove nothing."""
    profile, user = SandboxProfile(IsolationLevel.LIMITED), users()[-1]
    with escape_targets(user) as plan:
        found = run_confined(profile, user, json.dumps(plan)).answer
    for name in (
        "read a file of the person",
        "list the home",
        "write beside the secret",
        "change a file's mode",
        "read another's environment",
        "connect to a port",
        "connect to a local socket",
        "connect to an abstract socket",
        "signal another process",
        "limit another process",
        "slow another process down",
        "pin another process",
        "watch a file of the person",
        "use shared memory of others",
        "have others signalled by a pipe",
        "signal a thread of another",
    ):
        assert found[name], name


def test_each_attempt_of_the_self_test_succeeds_where_nothing_forbids_it(tmp_path: Path) -> None:
    """Otherwise a call with a mistake in it would count as forbidden."""
    byte = ctypes.c_char(b"x")
    libc = ctypes.CDLL(None)
    memory = libc.shmget(0, 4096, 0o600)
    plan = {
        "pid": os.getpid(),
        "address": ctypes.addressof(byte),
        "memory": memory,
        "secret": str(tmp_path),
        "readable": __file__,
        "shares_network": True,
    }
    try:
        for name, attempt in linux_escapes(plan).items():
            if name != "AF_VSOCK":  # not every kernel has it
                attempt()
    finally:
        libc.shmctl(memory, 0, None)


@pytest.mark.proves("DISC-6")
def test_a_call_that_the_filter_does_not_name_does_not_exist_inside() -> None:
    if (profile := offered(2)) is None:
        return
    number = {"x86_64": 312, "aarch64": 272}[platform.machine()]  # kcmp
    script = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"print(libc.syscall({number}, os.getpid(), os.getpid(), 0, 0, 0), ctypes.get_errno())"
    )
    run = run_confined(profile, users()[0], script, script=Path("-c"))
    assert run.out.split() == ["-1", str(errno.ENOSYS)]


@pytest.mark.proves("DISC-6")
def test_the_self_test_reports_the_best_level_that_holds_and_why_better_ones_do_not() -> None:
    found = best_profile(sandbox_profiles())
    assert found.profile in offered_profiles()
    assert found.profile.level == max((profile.level for profile in offered_profiles()), default=0)
    assert len(found.missing) >= sandbox_profiles().index(found.profile)


def test_without_bubblewrap_the_next_level_is_used_and_reported() -> None:
    found = best_profile([SandboxProfile(IsolationLevel.FULL, watch=True), *offered_profiles()[1:]])
    assert found.profile.level < IsolationLevel.FULL
    assert list(map(str, found.missing)) == ["bubblewrap (bwrap) is not installed."]


def test_a_bubblewrap_without_namespaces_is_detected(tmp_path: Path) -> None:
    """As in a container that forbids namespaces: the program exists, and fails."""
    refusing = tmp_path / "bwrap"
    refusing.write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
    )
    refusing.chmod(0o755)
    [fault] = check_profile(SandboxProfile(IsolationLevel.FULL, True, str(refusing)))
    assert str(fault) == "Level 3: bwrap: No permissions to create new namespace"


@pytest.mark.proves("DISC-6")
def test_an_ineffective_sandbox_is_detected(tmp_path: Path) -> None:
    """A bwrap that only runs its command, without any namespace, must not count."""
    fake_bwrap = tmp_path / "bwrap"
    fake_bwrap.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n')
    fake_bwrap.chmod(0o755)
    faults = check_profile(SandboxProfile(IsolationLevel.FULL, True, str(fake_bwrap)))
    assert {Why.READ_FILES, Why.WROTE_FILES, Why.REACHED_NETWORK} <= {each.why for each in faults}
    assert str(faults[0]) == "Level 3: a sandboxed program could read files."


@pytest.mark.proves("DISC-6")
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("level", LEVELS)
def test_a_fork_bomb_stops_at_its_limit(level: int, user: User) -> None:
    if (profile := offered(level)) is None:
        return
    run = run_confined(profile, user, "bomb", limits=SandboxLimits(tasks=30))
    assert run.answer["forks"] <= 30


@pytest.mark.proves("DISC-6")
@pytest.mark.parametrize("user", USERS)
def test_a_process_over_its_memory_limit_is_killed(user: User) -> None:
    for profile in offered_profiles()[:1]:
        run = run_confined(profile, user, "eat", limits=SandboxLimits(memory_mb=64))
        assert run.code == OVER_LIMIT
        assert run.observations["killed"] == "memory"
        assert run.observations["peak_mb"] >= 64


@pytest.mark.proves("DISC-6")
@pytest.mark.parametrize("level", LEVELS)
def test_no_process_is_left_behind(level: int) -> None:
    if (profile := offered(level)) is None:
        return
    mark = f"left-{os.getpid()}-{profile.level}"
    run_confined(profile, users()[0], "leave", mark)
    left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if mark in _text(p)]
    assert left == []


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


@pytest.mark.proves("DISC-6")
@pytest.mark.parametrize("level", LEVELS)
def test_attempts_are_observed(level: int) -> None:
    if (profile := offered(level)) is None:
        return
    script = (
        "import os, socket, subprocess, contextlib\n"
        "for path in ('/root/.ssh/id_rsa', '/etc/shadow'):\n"
        "    with contextlib.suppress(OSError): open(path)\n"
        "with contextlib.suppress(OSError): socket.create_connection(('192.0.2.7', 443), 1)\n"
        "with contextlib.suppress(OSError): socket.getaddrinfo('tracker.example', 80)\n"
        "subprocess.run(['/bin/true'])\n"
    )
    user = users()[0]
    run = run_confined(profile, user, script, script=Path("-c"))
    seen = run.observations
    assert seen["watched"]
    assert {"/root/.ssh/id_rsa", "/etc/shadow"} <= set(seen["files"])
    assert not [path for path in seen["files"] if path.startswith(("/usr", sys.prefix))]
    assert "192.0.2.7:443" in seen["hosts"]
    assert "/bin/true" in seen["programs"]
    if profile.level is IsolationLevel.FULL:
        assert "tracker.example" in seen["hosts"]
    if profile.level is IsolationLevel.CONFINED:
        assert "a name or address, by datagram" in seen["hosts"]


def test_a_file_name_that_is_not_utf_8_hides_nothing_else(tmp_path: Path) -> None:
    seen = Observations(watched=True, killed="memory")
    seen.add("files", os.fsdecode(b"/home/someone/\xff"))
    seen.add("hosts", "192.0.2.7:443")
    seen.write(tmp_path / "observations")
    support = SandboxSupport(SandboxProfile(IsolationLevel.FULL), ())
    run = SandboxedCommand(
        ServerCommand("server"),
        protection(support, SandboxLimits(), network=False),
        tmp_path / "observations",
        SandboxView(Path.home(), "/home/toolbooth", files_blocked=True),
    )
    assert run.observations() == seen


async def test_certificates_that_variables_name_are_readable_but_no_home(tmp_path: Path) -> None:
    home = tmp_path / "people" / "ann"
    home.mkdir(parents=True)
    (home / "corp.pem").touch()
    support = SandboxSupport(SandboxProfile(IsolationLevel.FULL), ())
    sandbox = Sandbox(tmp_path / "runs", home, tmp_path / "data", lambda: support)
    env = {"NODE_EXTRA_CA_CERTS": str(home / "corp.pem"), "SSL_CERT_DIR": str(home)}
    server = ServerCommand("/bin/true", env=env, inherits=False)
    async with sandbox.command(SandboxRequest(server)) as run:
        spec = LaunchSpec.read(Path(run.command.args[-1]))
    assert str(home / "corp.pem") in spec.readable
    assert str(home) not in spec.readable
