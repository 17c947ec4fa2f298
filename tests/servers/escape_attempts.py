"""A program that tries every known escape from its sandbox, and reports which succeeded.

`python escape_attempts.py PLAN`: prints a JSON object of attempts and whether each succeeded.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CLONE_NEWUSER = 0x10000000
PTRACE_ATTACH = 16


def attempts(plan: dict[str, Any]) -> dict[str, Callable[[], object]]:
    libc = ctypes.CDLL(None, use_errno=True)
    return {
        "read a file of the person": lambda: Path(plan["secret"]).read_text(),
        "list the home": lambda: list(Path(plan["home"]).iterdir()),
        "write beside the secret": lambda: Path(plan["secret"]).with_name("new").write_text("x"),
        "change a file's mode": lambda: Path(plan["secret"]).chmod(0o777),
        "read through proc": lambda: Path(f"/proc/1/root{plan['secret']}").read_text(),
        "read another's environment": lambda: Path(f"/proc/{plan['pid']}/environ").read_bytes(),
        "connect to a port": lambda: socket.create_connection(("127.0.0.1", plan["port"]), 2),
        "resolve a name": lambda: socket.getaddrinfo("example.org", 80),
        "send a datagram abroad": lambda: _send(("192.0.2.1", 9)),
        "connect to a local socket": lambda: _connect(plan["bus"]),
        "connect to an abstract socket": lambda: _connect(f"\0{plan['abstract']}"),
        "signal another process": lambda: os.kill(plan["pid"], 0),
        "signal everybody": lambda: os.kill(-1, 0),
        "trace another process": lambda: _checked(libc.ptrace(PTRACE_ATTACH, plan["pid"], 0, 0)),
        "make a user namespace": lambda: _checked(libc.unshare(CLONE_NEWUSER)),
        "become root": lambda: _checked(libc.mount(b"none", b"/mnt", b"tmpfs", 0, None)),
        "limit another process": lambda: resource.prlimit(plan["pid"], resource.RLIMIT_CORE),
        "slow another process down": lambda: os.setpriority(os.PRIO_PROCESS, plan["pid"], 19),
        "pin another process": lambda: os.sched_setaffinity(plan["pid"], {0}),
        "watch a file of the person": lambda: _checked(
            libc.inotify_add_watch(libc.inotify_init(), os.fsencode(plan["secret"]), 2)
        ),
        "use shared memory of others": lambda: _attach(libc, plan["memory"]),
        "have others signalled by a pipe": lambda: _own_signals_of_a_pipe(plan["pid"]),
        "signal a thread of another": lambda: signal.pidfd_send_signal(
            os.pidfd_open(plan["pid"]), 0
        ),
        "reach the host's machine": lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM),
        "open a raw disk": lambda: os.open("/dev/vda", os.O_RDONLY),
    }


def _send(address: tuple[str, int]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", address)


def _connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(path)


def _own_signals_of_a_pipe(pid: int) -> None:
    fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, pid)


def _attach(libc: ctypes.CDLL, memory: int) -> None:
    libc.shmat.restype = ctypes.c_ssize_t
    _checked(libc.shmat(memory, None, 0))


def _checked(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _works(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except (OSError, ValueError):
        return False
    return True


def bomb() -> int:
    """Fork as often as that is possible; how often it was."""
    count = 0
    while count < 5000:
        try:
            if os.fork() == 0:
                signal.pause()
        except OSError:
            break
        count += 1
    return count


def main() -> None:
    what = sys.argv[1]
    if what == "bomb":
        print(json.dumps({"forks": bomb()}), flush=True)
        os._exit(0)
    if what == "eat":
        taken: list[bytearray] = []
        while True:
            taken.append(bytearray(b"x") * (8 << 20))
            time.sleep(0.01)
    if what == "spin":
        began = time.monotonic()
        while time.monotonic() - began < float(sys.argv[2]):
            pass
        print(json.dumps({"processor": time.process_time()}), flush=True)
        return
    if what == "leave":
        command = [sys.executable, "-c", "import time; time.sleep(600)", sys.argv[2]]
        for own_session in (False, True):
            try:
                subprocess.Popen(command, start_new_session=own_session)
            except (OSError, subprocess.SubprocessError):
                print("refused", file=sys.stderr)
        return
    plan = json.loads(what)
    found = {name: _works(attempt) for name, attempt in attempts(plan).items()}
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
