"""The launcher's child: confines itself, then becomes the server."""

from __future__ import annotations

import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Mapping

from router.discovery.resource_limits import set_limits
from router.discovery.sandbox import bubblewrap, landlock, seccomp, seccomp_rules, syscalls
from router.discovery.sandbox.launch_spec import LaunchSpec

CONFINEMENT_FAILED = 125
_SYSTEM_READABLE = (
    *bubblewrap.SYSTEM_FOLDERS,
    *(f"/etc/{name}" for name in (*bubblewrap.ETC, "passwd", "group")),
    *(f"/proc/{name}" for name in "self cpuinfo meminfo stat version filesystems".split()),
    "/dev/urandom",
    "/dev/random",
)
_NETWORK_READABLE = (
    *(f"/etc/{name}" for name in bubblewrap.ETC_FOR_NETWORK),
    "/run/systemd/resolve",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")


def exec_server(spec: LaunchSpec, environment: Mapping[str, str], channel: socket.socket) -> None:
    """Become the server. Never returns."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        syscalls.die_with_parent(signal.SIGKILL)
        set_limits(
            {
                resource.RLIMIT_CORE: 0,
                resource.RLIMIT_FSIZE: spec.limits.files_mb << 20,
                resource.RLIMIT_NOFILE: 1024,
            }
        )
        if spec.profile.level >= 3:
            command, environment = _bwrap(spec, environment), dict[str, str]()
        else:
            os.chdir(spec.cwd)
            command = [spec.program, *spec.args]
        if spec.profile.level >= 2 or spec.profile.watch:
            syscalls.no_new_privileges()
        if spec.profile.level == 2:
            readable = (*_SYSTEM_READABLE, *(_NETWORK_READABLE if spec.network else ()))
            landlock.restrict(
                readable=(*readable, *spec.readable),
                writable=(spec.home, *spec.writable, *_DEVICES),
                network=spec.network,
            )
        if spec.profile.watch:
            _filter(spec, channel)
        channel.close()
        os.execve(command[0], command, environment)  # noqa: S606 - what the launcher is for
    except OSError as error:
        sys.stderr.write(f"toolbooth: the server can't be confined or started: {error}\n")
    finally:
        sys.stderr.flush()
        os._exit(CONFINEMENT_FAILED)


def _bwrap(spec: LaunchSpec, environment: Mapping[str, str]) -> list[str]:
    """The command. Its arguments are in a memory file that nobody else can read."""
    passwd = _in_memory(bubblewrap.passwd_of(spec.home))
    inner = _in_memory(seccomp.assemble(seccomp_rules.bubblewrap_rules()))
    words = bubblewrap.arguments(spec, environment, passwd=passwd, seccomp=inner)
    split = words.index("--")
    options = _in_memory(b"".join(os.fsencode(word) + b"\0" for word in words[:split]))
    return [spec.profile.bwrap, "--args", str(options), *words[split:]]


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("toolbooth", 0)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _program(spec: LaunchSpec) -> bytes:
    if spec.profile.level == 2:
        rules = seccomp_rules.landlock_rules(
            network=spec.network, landlock_version=landlock.version()
        )
        return seccomp.assemble(rules, otherwise=seccomp_rules.UNKNOWN_CALL)
    return seccomp.assemble(seccomp_rules.observation_rules())


def _filter(spec: LaunchSpec, channel: socket.socket) -> None:
    """Filter this thread. The listener is sent by another, unfiltered thread: in this one the call
    would wait for a supervisor that does not have the listener yet."""
    installed = threading.Event()
    listeners: list[int] = []

    def send_listener() -> None:
        installed.wait()
        socket.send_fds(channel, [b"f"], listeners)

    helper = threading.Thread(target=send_listener, daemon=True)
    helper.start()
    listeners.append(seccomp.install(_program(spec)))
    installed.set()
    helper.join()
    os.close(listeners[0])
