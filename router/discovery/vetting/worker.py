"""The vetting worker, a process of its own: reads jobs from stdin and answers on stdout.

It ends when its input ends. It imports as little as possible, because the router waits for it.
"""

from __future__ import annotations

import sys

from router.discovery.vetting.messages import (
    decode_job,
    encode_prepared,
    read_message,
    write_message,
)
from router.discovery.vetting.preparation import prepare

MEMORY_LIMIT_BYTES = 1024 * 1024 * 1024


def limit_memory() -> None:
    """On POSIX, a list that needs more memory than this ends the worker, not the router."""
    if sys.platform != "win32":
        import resource

        from router.discovery.resource_limits import set_limits

        set_limits({resource.RLIMIT_AS: MEMORY_LIMIT_BYTES})


def main() -> None:
    limit_memory()
    while (job := read_message(sys.stdin.buffer)) is not None:
        write_message(sys.stdout.buffer, encode_prepared(prepare(*decode_job(job))))


if __name__ == "__main__":
    main()
