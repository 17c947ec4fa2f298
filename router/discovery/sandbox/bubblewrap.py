"""The full sandbox: a `bwrap` command line with every namespace, a root of what is needed and
nothing else, and an empty home."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from router.discovery.sandbox.launch_spec import Order

HOME = "/home/toolbooth"
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
)
_ETC = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ssl", "pki", "ca-certificates",
    "crypto-policies", "localtime", "timezone", "mime.types", "os-release", "services",
    "protocols", "nsswitch.conf",
)  # fmt: skip
_ETC_FOR_NETWORK = ("hosts", "resolv.conf", "host.conf", "gai.conf")
# The limit on processes counts those of the user in its namespace, so it is set inside.
_INNER_LIMITS = 'ulimit -u "$0" 2>/dev/null || ulimit -p "$0" 2>/dev/null; exec "$@"'


def arguments(
    order: Order, environment: Mapping[str, str], *, passwd: int, seccomp: int, nested: bool
) -> list[str]:
    """What `bwrap` is told; `passwd` and `seccomp` are open files, `nested` says whether this
    version can forbid user namespaces inside."""
    return [
        *"--unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try".split(),
        *([] if order.network else ["--unshare-net"]),
        *(["--disable-userns"] if nested else []),
        *"--die-with-parent --new-session --clearenv --hostname toolbooth".split(),
        *_root(order, passwd),
        *("--chdir", order.cwd, "--seccomp", str(seccomp)),
        *(word for pair in environment.items() for word in ("--setenv", *pair)),
        *("--", "/bin/sh", "-c", _INNER_LIMITS, str(order.limits.tasks)),
        *(order.program, *order.args),
    ]


def _root(order: Order, passwd: int) -> Iterable[str]:
    size = str(order.limits.files_mb << 20)
    yield from (word for path in _SYSTEM for word in _system(path))
    names = (*_ETC, *_ETC_FOR_NETWORK) if order.network else _ETC
    for name in names:
        yield from ("--ro-bind-try", os.path.realpath(f"/etc/{name}"), f"/etc/{name}")
    yield from ("--perms", "0444", "--ro-bind-data", str(passwd), "/etc/passwd")
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--size", size, "--tmpfs", "/tmp", "--size", size, "--tmpfs", order.home)  # noqa: S108
    for path in sorted(order.empty):
        yield from ("--dir", path)
    for path in sorted(order.readable):
        yield from ("--ro-bind-try", path, path)


def _system(path: str) -> tuple[str, ...]:
    """Many systems have `/bin` as a link into `/usr`."""
    place = Path(path)
    if place.is_symlink():
        return ("--symlink", str(place.readlink()), path)
    return ("--ro-bind-try", path, path)


def passwd_of(home: str) -> bytes:
    """A user of the name `toolbooth`; who the person is, is nobody's business."""
    return f"toolbooth:x:{os.getuid()}:{os.getgid()}::{home}:/bin/sh\n".encode()
