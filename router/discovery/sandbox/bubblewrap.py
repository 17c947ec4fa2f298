"""The full sandbox: a `bwrap` command line with every namespace, a root with only the required
files, and an empty home."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from router.discovery.sandbox.launch_spec import LaunchSpec, SandboxProfile

HOME = "/home/toolbooth"
SYSTEM_FOLDERS = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
)  # fmt: skip
ETC = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ssl", "pki", "ca-certificates",
    "crypto-policies", "localtime", "timezone", "mime.types", "os-release", "services",
    "protocols", "nsswitch.conf",
)  # fmt: skip
ETC_FOR_NETWORK = ("hosts", "resolv.conf", "host.conf", "gai.conf")
# The limit on processes counts those of the user in its namespace, so it is set inside.
_INNER_LIMITS = 'ulimit -u "$0" 2>/dev/null || ulimit -p "$0" 2>/dev/null; exec "$@"'


def home_inside(profile: SandboxProfile, created: Path) -> str:
    """The server's home: in the full sandbox a path that exists only there, otherwise `created`."""
    return HOME if profile.level >= 3 else str(created)


def arguments(
    spec: LaunchSpec, environment: Mapping[str, str], *, passwd: int, seccomp: int
) -> list[str]:
    """The arguments of `bwrap`. `passwd` and `seccomp` are open files."""
    return [
        *"--unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try".split(),
        *([] if spec.network else ["--unshare-net"]),
        *(["--disable-userns"] if spec.profile.forbids_nesting else []),
        *"--die-with-parent --new-session --cap-drop ALL --clearenv --hostname toolbooth".split(),
        *_root(spec, passwd),
        *("--chdir", spec.cwd, "--seccomp", str(seccomp)),
        *(word for pair in environment.items() for word in ("--setenv", *pair)),
        *("--", "/bin/sh", "-c", _INNER_LIMITS, str(spec.limits.tasks)),
        *(spec.program, *spec.args),
    ]


def _root(spec: LaunchSpec, passwd: int) -> Iterable[str]:
    size = str(spec.limits.files_mb << 20)
    etc = (*ETC, *(ETC_FOR_NETWORK if spec.network else ()))
    for path in (*SYSTEM_FOLDERS, *(f"/etc/{name}" for name in etc)):
        yield from system_path(path)
    yield from ("--perms", "0444", "--ro-bind-data", str(passwd), "/etc/passwd")
    yield from ("--proc", "/proc", "--dev", "/dev")
    yield from ("--size", size, "--tmpfs", "/tmp", "--size", size, "--tmpfs", spec.home)  # noqa: S108
    for path in sorted(spec.empty):
        yield from ("--dir", path)
    for path in sorted(spec.readable):
        yield from ("--ro-bind-try", path, path)
    for path in sorted(spec.writable):
        yield from ("--bind-try", path, path)
    for link, target in spec.links:
        yield from ("--symlink", target, link)


def system_path(path: str) -> tuple[str, ...]:
    """A link into a system folder stays that link: on many systems `/bin` is one, and programs read
    the name of the time zone from where `/etc/localtime` points, even if no such file is installed.
    """
    link, real = Path(path), os.path.realpath(path)
    if link.is_symlink() and real.startswith(tuple(f"{folder}/" for folder in SYSTEM_FOLDERS)):
        return ("--symlink", str(link.readlink()), path)
    return ("--ro-bind-try", real, path)


def passwd_of(home: str) -> bytes:
    """A user named `toolbooth`: the real name is private."""
    return f"toolbooth:x:{os.getuid()}:{os.getgid()}::{home}:/bin/sh\n".encode()
