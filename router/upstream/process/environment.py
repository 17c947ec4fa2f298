"""The environment of a server's process, and the lookup of its command.

A server gets an allow-list of our environment plus its own configuration: the rest of the user's
environment may contain secrets. The PATH is completed with the folders that a login shell adds.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from router.domain.failures import Failure, FailureKind
from router.runtime.search_path import extended_path
from router.upstream.errors import failed
from router.upstream.process.network_variables import reaches_servers

_POSIX_NAMES = frozenset("HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR TZ".split())
_POSIX_PREFIXES = ("LC_", "XDG_")
_WINDOWS_NAMES = frozenset(
    "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE "
    "SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE".split()
)
WINDOWS = sys.platform == "win32"
_FROZEN = bool(getattr(sys, "frozen", False))


def server_environment(
    ours: Mapping[str, str],
    extra: Mapping[str, str],
    *,
    windows: bool = WINDOWS,
    frozen: bool = _FROZEN,
) -> dict[str, str]:
    """The environment of a server whose configuration adds `extra` to `ours`."""
    inherited = {k: v for k, v in ours.items() if _may_inherit(k, v, windows)}
    if frozen and (original := ours.get("LD_LIBRARY_PATH_ORIG")):
        # The bundle sets LD_LIBRARY_PATH to its own libraries and keeps the user's value here.
        inherited["LD_LIBRARY_PATH"] = original
    if not windows and (path := inherited.get("PATH")):
        inherited["PATH"] = extended_path(path, inherited)
    if windows:  # where Path and PATH are one variable
        extra = {k.upper(): v for k, v in extra.items()}
        inherited = {k.upper(): v for k, v in inherited.items()}
    return {**inherited, **extra}


def _may_inherit(name: str, value: str, windows: bool) -> bool:
    if reaches_servers(name, value):
        return True
    if windows:
        return name.upper() in _WINDOWS_NAMES
    exported_function = value.startswith("()")
    return not exported_function and (name in _POSIX_NAMES or name.startswith(_POSIX_PREFIXES))


def find_command(command: str, environment: Mapping[str, str], cwd: str | None) -> str:
    """The file to run for `command`: searched on the server's own PATH, or relative to its cwd.

    Raises `UpstreamFailed` if there is none, or it is not executable.
    """
    if os.path.dirname(command):  # noqa: PTH120 - "./x" has a folder, pathlib drops it
        return _checked(str(Path(cwd or "", command).absolute()), command)
    path = environment.get("PATH", os.defpath)
    if found := shutil.which(command, path=path):
        return found
    searched = ", ".join(dict.fromkeys(filter(None, path.split(os.pathsep))))
    raise failed(Failure(FailureKind.COMMAND_NOT_FOUND, command, searched))


def _checked(file: str, command: str) -> str:
    if found := shutil.which(file):
        return found
    if Path(file).is_file():
        raise failed(Failure(FailureKind.PERMISSION_DENIED, command))
    raise failed(Failure(FailureKind.COMMAND_NOT_FOUND, command, str(Path(file).parent)))
