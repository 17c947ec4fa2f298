"""The folders in which programs are looked up: those on PATH, then those a login shell would add.

An application that was started from a desktop has the PATH of the session, without what the files
of the user's shell add to it: package managers and version managers. No shell is started to ask,
because its files may prompt, hang or start programs. The folders that these managers document are
appended instead, so a program found on PATH stays the one that is found. A lookup costs about forty
`stat` calls.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_FOLDERS = (
    "~/.local/bin", "~/bin", "~/.cargo/bin", "~/go/bin", "~/.dotnet/tools",
    "$VOLTA_HOME/bin|~/.volta/bin", "$BUN_INSTALL/bin|~/.bun/bin",
    "$DENO_INSTALL/bin|~/.deno/bin",
    "$PNPM_HOME|$XDG_DATA_HOME/pnpm|~/.local/share/pnpm", "~/Library/pnpm",
    "$MISE_DATA_DIR/shims|$XDG_DATA_HOME/mise/shims|~/.local/share/mise/shims",
    "$ASDF_DATA_DIR/shims|~/.asdf/shims", "~/.asdf/bin",
    "$PYENV_ROOT/shims|~/.pyenv/shims", "$PYENV_ROOT/bin|~/.pyenv/bin", "~/.nodenv/shims",
    "$FNM_DIR/aliases/default/bin|$XDG_DATA_HOME/fnm/aliases/default/bin|"
    "~/.local/share/fnm/aliases/default/bin",
    "~/Library/Application Support/fnm/aliases/default/bin", "~/.fnm/aliases/default/bin",
    "$HOMEBREW_PREFIX/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin",
    "~/.linuxbrew/bin", "/opt/local/bin", "/usr/local/bin", "/snap/bin", "~/.nix-profile/bin",
    "~/.sdkman/candidates/java/current/bin", "~/.docker/bin", "~/.rd/bin",
    "~/miniconda3/bin", "~/miniforge3/bin", "~/mambaforge/bin", "~/anaconda3/bin",
    "/opt/conda/bin", "/opt/miniconda3/bin", "/opt/anaconda3/bin",
)  # fmt: skip
_VARIABLE = re.compile(r"\$(\w+)")
_NODE_VERSION = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
_MAX_ALIASES = 5


def extended_path(path: str, environment: Mapping[str, str]) -> str:
    """`path` with the existing folders of package and version managers appended; they are those of
    the home in `environment`."""
    home = environment.get("HOME")
    folders = path.split(os.pathsep)
    if home is None or not Path(home).is_absolute():
        return path
    for choices in _FOLDERS:
        folders += _first_folder(choices, Path(home), environment)
    folders += _nvm_folder(Path(environment.get("NVM_DIR") or Path(home, ".nvm")))
    return os.pathsep.join(dict.fromkeys(folders))


def _first_folder(choices: str, home: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """The first of `choices` that exists."""
    for choice in choices.split("|"):
        if any(not environment.get(name) for name in _VARIABLE.findall(choice)):
            continue
        folder = _VARIABLE.sub(lambda found: environment[found[1]], choice)
        path = home / folder[2:] if folder.startswith("~/") else Path(folder)
        if path.is_dir():
            yield str(path)
            return


def _nvm_folder(nvm: Path) -> Iterator[str]:
    """The Node.js that nvm's default alias names, otherwise the newest."""
    versions = {
        tuple(map(int, found.groups())): folder / "bin"
        for folder in _folders_in(nvm / "versions" / "node")
        if (found := _NODE_VERSION.fullmatch(folder.name))
    }
    wanted = _nvm_default(nvm)
    chosen = [each for each in versions if each[: len(wanted)] == wanted] or list(versions)
    if chosen:
        yield str(versions[max(chosen)])


def _folders_in(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _nvm_default(nvm: Path) -> tuple[int, ...]:
    """The version, or the beginning of one, that the alias `default` means; an alias may name
    another one, as `lts/*` does."""
    name = "default"
    for _ in range(_MAX_ALIASES):
        try:
            name = (nvm / "alias" / name).read_text().strip()
        except (OSError, ValueError):
            break
    numbers = name.removeprefix("v").split(".")
    return tuple(map(int, numbers)) if all(each.isdecimal() for each in numbers) else ()
