"""What a server's process inherits, and where its command is found. Pure but for the file lookup.

A server gets an allow-list of our environment plus what its own configuration gives it: whatever
else the person's session holds is none of its business.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from router.domain.failures import Failure, FailureKind
from router.upstream.errors import failed

_POSIX_NAMES = frozenset(
    "HOME LOGNAME PATH SHELL TERM USER LANG TMPDIR TZ "
    "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy".split()
)
_POSIX_PREFIXES = ("LC_", "XDG_")
_WINDOWS_NAMES = frozenset(
    "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE "
    "SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE "
    "HTTP_PROXY HTTPS_PROXY NO_PROXY".split()
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
        # The bundle points LD_LIBRARY_PATH at its own libraries and keeps the person's here.
        inherited["LD_LIBRARY_PATH"] = original
    if windows:  # where Path and PATH are one variable
        extra = {k.upper(): v for k, v in extra.items()}
        inherited = {k.upper(): v for k, v in inherited.items()}
    return {**inherited, **extra}


def _may_inherit(name: str, value: str, windows: bool) -> bool:
    if windows:
        return name.upper() in _WINDOWS_NAMES
    exported_function = value.startswith("()")
    return not exported_function and (name in _POSIX_NAMES or name.startswith(_POSIX_PREFIXES))


def find_command(command: str, environment: Mapping[str, str], cwd: str | None) -> str:
    """The file to run for `command`: looked up on the server's own PATH, or relative to its cwd.

    Raises `UpstreamFailed` if there is none, or none that may be run.
    """
    if os.path.dirname(command):  # noqa: PTH120 - "./x" has a folder, pathlib drops it
        return _checked(str(Path(cwd or "", command).absolute()), command)
    path = environment.get("PATH", os.defpath)
    if found := shutil.which(command, path=path):
        return found
    looked_in = ", ".join(dict.fromkeys(filter(None, path.split(os.pathsep))))
    raise failed(Failure(FailureKind.COMMAND_NOT_FOUND, command, looked_in))


def _checked(file: str, command: str) -> str:
    if found := shutil.which(file):
        return found
    if Path(file).is_file():
        raise failed(Failure(FailureKind.PERMISSION_DENIED, command))
    raise failed(Failure(FailureKind.COMMAND_NOT_FOUND, command, str(Path(file).parent)))
