"""A server's process with all its descendants, killed as one.

Three guarantees: a server that is stopped leaves no grandchild behind, neither does one that exits
by itself, and if the router is killed, its servers are killed too. On POSIX the tree is a process
group and all processes with the server's mark, watched by a guardian; on Windows it is a Job
Object, which the system closes together with its processes when we are gone.
"""

from __future__ import annotations

import sys
from typing import Protocol

from router.upstream.process.tracking import ProcessMark


class ProcessTree(Protocol):
    def terminate(self) -> None:
        """Ask all processes to exit, where the platform has a signal for it."""
        ...

    def kill(self) -> None:
        """Kill the group at once."""
        ...

    async def end(self) -> None:
        """Kill all remaining processes, also those that left the group; returns when done."""
        ...

    def release(self) -> None:
        """The tree is gone: stop watching it."""
        ...


if sys.platform == "win32":
    from router.upstream.process.windows_job import JobTree, load_kernel32

    def watch_tree(pid: int, mark: ProcessMark) -> ProcessTree:
        return JobTree(pid, load_kernel32())

    def kill_leftovers(owner: str) -> int:
        """A job leaves no processes behind."""
        return 0

else:
    from router.upstream.process.group import ProcessGroup
    from router.upstream.process.tracking import kill_leftovers as kill_leftovers

    def watch_tree(pid: int, mark: ProcessMark) -> ProcessTree:
        """The tree of the process `pid`, which was started in a new session and with
        `mark`."""
        return ProcessGroup(pid, mark)
