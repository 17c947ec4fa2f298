"""What a path means to a server that runs on this computer. Reads the file system: for a thread."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 4096
"""No file system takes a longer path."""


@dataclass(frozen=True, slots=True)
class LocalPaths:
    folder: str
    """The server's working directory."""

    def __call__(self, path: str) -> Iterable[str]:
        """The absolute path, and the one without symbolic links, that `path` stands for."""
        if not path or len(path) > _LONGEST or "\0" in path or "\n" in path:
            return
        absolute = os.path.abspath(os.path.join(self.folder, os.path.expanduser(path)))  # noqa: PTH100, PTH111, PTH118
        yield _slashed(absolute)
        yield _slashed(os.path.realpath(absolute))


def _slashed(path: str) -> str:
    return path.replace(os.sep, "/")
