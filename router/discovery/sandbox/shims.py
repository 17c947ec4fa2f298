"""Version managers put small programs on PATH that choose a version and start it: shims.

A shim reads the manager's settings in the user's home, which a sandbox hides. So the program that
it would start is found beforehand, by asking its manager. That runs outside the sandbox, so it is
the user's own manager, found as in their shell: nothing a server's configuration says chooses it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from router.runtime.search_path import extended_path

_ANSWER_TIMEOUT_S = 5.0
_SESSION_FOLDER = "/fnm_multishells/"
"""In which fnm links a folder for each shell to the Node.js it uses."""
_VERSION = re.compile(r"(PYENV|NODENV|RBENV|GOENV|JENV|ASDF_\w+|MISE_\w+)_VERSION")
_FOLDERS = {
    ".pyenv": "pyenv", "pyenv": "pyenv", ".nodenv": "nodenv", ".rbenv": "rbenv", ".goenv": "goenv",
    ".jenv": "jenv", ".asdf": "asdf", "asdf": "asdf", "mise": "mise", "rtx": "mise",
}  # fmt: skip
"""Each manager by the folder that its folder `shims` is in."""
_PROGRAMS = {"volta-shim": "volta", "mise": "mise"}
"""Each manager by the program that its shims are links to."""


def behind_shim(program: str, configured: Mapping[str, str], cwd: str | None) -> str:
    """The program that `program` starts if it is a shim, otherwise `program`. Variables that are
    `configured` may choose a version. Blocks."""
    if _SESSION_FOLDER in program:
        return str(Path(os.path.realpath(Path(program).parent), Path(program).name))
    name = _manager_of(Path(program))
    path = extended_path(os.environ.get("PATH", os.defpath), os.environ)
    manager = shutil.which(name, path=path) if name else None
    if manager is None:
        return program
    versions = {k: v for k, v in configured.items() if _VERSION.fullmatch(k)}
    try:
        answer = subprocess.run(  # noqa: S603 - the manager of a program that is about to be run
            [manager, "which", Path(program).name],
            env={**os.environ, "PATH": path, **versions},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_TIMEOUT_S,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return program
    found = os.fsdecode(answer.stdout).strip()
    return found if Path(found).is_absolute() and shutil.which(found) else program


def _manager_of(program: Path) -> str | None:
    """The name of the manager whose shim `program` is."""
    target = Path(os.path.realpath(program)).name
    if target != program.name and target in _PROGRAMS:
        return _PROGRAMS[target]
    folder = program.parent
    return _FOLDERS.get(folder.parent.name) if folder.name == "shims" else None
