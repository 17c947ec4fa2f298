"""A server's process with all its descendants, ended as one.

Three things must hold however we end: a server that is stopped leaves no grandchild behind, one
that exits by itself neither, and if the router is killed outright its servers go too. On POSIX the
tree is a process group and whoever carries the server's mark, and a guardian watches over it; on
Windows it is a Job Object, which the system closes when we are gone, and its processes with it.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol

from router.upstream.process.tracking import Mark


class ProcessTree(Protocol):
    def terminate(self) -> None:
        """Ask all processes to end, where the platform has a way to ask."""
        ...

    def kill(self) -> None:
        """Kill those that are easily found, at once."""
        ...

    async def end(self) -> None:
        """Kill all that is left, wherever it went; returns when that is done."""
        ...

    def release(self) -> None:
        """The tree is gone: stop watching over it."""
        ...


if sys.platform == "win32":
    import subprocess

    from router.upstream.process.windows_job import JobTree, load_kernel32

    def creation_options() -> dict[str, Any]:
        return {"creationflags": subprocess.CREATE_NO_WINDOW}

    def watch_tree(pid: int, mark: Mark) -> ProcessTree:
        return JobTree(pid, load_kernel32())

    def sweep(owner: str) -> int:
        """A job leaves nothing behind."""
        return 0

else:
    from router.upstream.process.group import ProcessGroup
    from router.upstream.process.tracking import sweep as sweep

    def creation_options() -> dict[str, Any]:
        """How a process must be started so that its tree can be watched."""
        return {"start_new_session": True}

    def watch_tree(pid: int, mark: Mark) -> ProcessTree:
        """The tree of the process `pid`, which was started with `creation_options` and `mark`."""
        return ProcessGroup(pid, mark)
