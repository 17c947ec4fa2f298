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

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        within = hard == resource.RLIM_INFINITY or hard > MEMORY_LIMIT_BYTES
        limit = MEMORY_LIMIT_BYTES if within else hard
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def main() -> None:
    limit_memory()
    while (job := read_message(sys.stdin.buffer)) is not None:
        write_message(sys.stdout.buffer, encode_prepared(prepare(*decode_job(job))))


if __name__ == "__main__":
    main()
