"""The launcher's child: gives up what it must not have, then becomes the server."""

from __future__ import annotations

import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Mapping

from router.discovery.sandbox import bubblewrap, landlock, seccomp, syscalls
from router.discovery.sandbox.launch_spec import Order

CANT_CONFINE = 125
_SYSTEM_READABLE = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/ssl",
    "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/localtime", "/etc/timezone",
    "/etc/mime.types", "/etc/os-release", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group",
    "/etc/services", "/etc/protocols", "/proc/self", "/proc/cpuinfo", "/proc/meminfo",
    "/proc/stat", "/proc/version", "/proc/filesystems", "/dev/urandom", "/dev/random",
)  # fmt: skip
_NETWORK_READABLE = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/run/systemd/resolve",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")


def become(order: Order, environment: Mapping[str, str], door: socket.socket) -> None:
    """Turn into the server. Never returns."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        syscalls.die_with_parent(signal.SIGKILL)
        _limit(order)
        if order.level >= 3:
            command, environment = _bwrap(order, environment), dict[str, str]()
        else:
            os.chdir(order.cwd)
            command = [order.program, *order.args]
        if order.level >= 2 or order.watch:
            syscalls.no_new_privileges()
        if order.level == 2:
            readable = (*_SYSTEM_READABLE, *(_NETWORK_READABLE if order.network else ()))
            landlock.restrict(
                readable=(*readable, *order.readable),
                writable=(order.home, *_DEVICES),
                network=order.network,
            )
        if order.watch:
            _filter(order, door)
        door.close()
        os.execve(command[0], command, environment)  # noqa: S606 - what the launcher is for
    except OSError as error:
        sys.stderr.write(f"toolbooth: the server can't be confined or started: {error}\n")
    finally:
        sys.stderr.flush()
        os._exit(CANT_CONFINE)


def _limit(order: Order) -> None:
    size = order.limits.files_mb << 20
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, size),
        (resource.RLIMIT_NOFILE, 1024),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def _bwrap(order: Order, environment: Mapping[str, str]) -> list[str]:
    """The command; its arguments lie in a file in memory, where nobody else can read them."""
    passwd = _in_memory(bubblewrap.passwd_of(order.home))
    inner = _in_memory(seccomp.assemble(seccomp.inner_rules()))
    told = bubblewrap.arguments(
        order, environment, passwd=passwd, seccomp=inner, nested=order.forbids_nesting
    )
    split = told.index("--")
    options = _in_memory(b"".join(os.fsencode(word) + b"\0" for word in told[:split]))
    return [order.bwrap, "--args", str(options), *told[split:]]


def _in_memory(data: bytes) -> int:
    descriptor = os.memfd_create("toolbooth", 0)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _filter(order: Order, door: socket.socket) -> None:
    """Filter this thread, and let another, which is not filtered, hand the listener over: the call
    that does so would wait for an answer that nobody can give yet."""
    installed = threading.Event()
    listeners: list[int] = []

    def hand_over() -> None:
        installed.wait()
        socket.send_fds(door, [b"f"], listeners)

    helper = threading.Thread(target=hand_over, daemon=True)
    helper.start()
    rules = seccomp.confining_rules(order.network) if order.level == 2 else seccomp.watching_rules()
    listeners.append(seccomp.install(seccomp.assemble(rules)))
    installed.set()
    helper.join()
    os.close(listeners[0])
