"""The user's consents to start a server's command, and what it may access during discovery:
`consents.json`.

A consent covers what would run: command, arguments, folder, environment variables (with the values
as written of all but the harmless ones) and the program the command resolves to. If any of them
changes, consent is needed again. Consents have their own file, so that a pasted `workspace.json`
can't contain one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from router.config.secret_references import replace_secret_references, secret_references
from router.config.server import ServerConfig
from router.domain.ids import ServerId
from router.domain.json_values import as_object
from router.domain.permissions import is_harmless
from router.domain.receipts import DiscoveryAccess
from router.domain.servers import TransportType
from router.store import json_text
from router.store.files import atomic_write, locked, translate_os_errors
from router.store.json_file import FORMAT_VERSION, read_json_file

_SERVERS, _DISCOVERY, _FOLDERS = "servers", "discovery", "folders"
_PARTS = (_SERVERS, _DISCOVERY, _FOLDERS)


class ConsentStore:
    """The consents of one workspace. HTTP servers need none."""

    def __init__(self, workspace_folder: Path) -> None:
        self._path = workspace_folder / "consents.json"

    def has(self, server: ServerId, config: ServerConfig) -> bool:
        if config.transport is TransportType.HTTP:
            return True
        return self._read().get(server) == fingerprint(config)

    def lost_program(self, server: ServerId, config: ServerConfig) -> bool:
        """Whether the user consented to the server's command, or to an earlier one, and its program
        is not found now: then that is what the user has to know, rather than that another program
        would need a consent."""
        return server in self._read() and bool(config.command) and resolved_program(config) is None

    def grant(self, server: ServerId, config: ServerConfig) -> None:
        self._change(_SERVERS, lambda consents: {**consents, server: fingerprint(config)})

    def access(self, server: ServerId, config: ServerConfig) -> DiscoveryAccess:
        """What it may access during discovery; granted for one configuration only."""
        access, _, config_hash = self._read(_DISCOVERY).get(server, "").partition(" ")
        granted = config_hash == config.config_hash
        known = access in [str(each) for each in DiscoveryAccess]
        return DiscoveryAccess(access) if granted and known else DiscoveryAccess.ISOLATED

    def allow(self, server: ServerId, config: ServerConfig, access: DiscoveryAccess) -> None:
        granted = f"{access} {config.config_hash}"
        self._change(_DISCOVERY, lambda allowed: {**allowed, server: granted})

    def has_folder(self, server: ServerId, config: ServerConfig, folder: str) -> bool:
        """Whether it may run in a client's folder: in one that was allowed, or below it."""
        allowed, real = self._read(_FOLDERS), Path(os.path.realpath(folder))
        return any(
            allowed.get(f"{server} {root}") == fingerprint(config) for root in (real, *real.parents)
        )

    def allow_folder(self, server: ServerId, config: ServerConfig, folder: str) -> None:
        """Allow it to run in `folder` and below, with this configuration only."""
        root = os.path.realpath(folder)
        self._change(_FOLDERS, lambda allowed: {**allowed, f"{server} {root}": fingerprint(config)})

    def forget(self, server: ServerId) -> None:
        for part in _PARTS:  # a folder follows its server after a space
            self._change(
                part,
                lambda kept: {k: v for k, v in kept.items() if k.partition(" ")[0] != server},
            )

    def _change(self, part: str, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        with translate_os_errors(self._path), locked(self._path):
            parts = {name: self._read(name) for name in _PARTS}
            after = {**parts, part: change(parts[part])}
            if after != parts:
                sorted_parts = {name: dict(sorted(kept.items())) for name, kept in after.items()}
                file = {"formatVersion": FORMAT_VERSION, **sorted_parts}
                atomic_write(self._path, json_text.dump(file))

    def _read(self, part: str = _SERVERS) -> dict[str, str]:
        """An unusable file contains no consents: they are asked for again."""
        file = read_json_file(self._path, as_object, missing={}) or {}
        return {k: v for k, v in as_object(file.get(part)).items() if isinstance(v, str)}


def fingerprint(config: ServerConfig) -> str:
    """SHA-256 over what would run. Secret references go in as they are written: so another secret
    needs a new consent, and the hash never depends on a secret's value."""
    running = {
        "command": config.command,
        "args": list(config.args),
        "cwd": config.cwd,
        "env": sorted(config.env),
        "code": {k: v for k, v in config.env.items() if not is_harmless(k)},
        "program": resolved_program(config),
    }
    return hashlib.sha256(json.dumps(running, sort_keys=True).encode()).hexdigest()


def resolved_program(config: ServerConfig) -> str | None:
    """The file the command resolves to on the server's own PATH."""
    command = config.command or ""
    if Path(command).name != command:
        command = str(Path(config.cwd or "", command).absolute())
    return shutil.which(command, path=search_path(config))


def search_path(config: ServerConfig) -> str | None:
    """The server's own PATH; None: ours."""
    path = config.env.get("PATH")
    if path is None:
        return None
    values = {(kind, name): os.environ.get(name, "") for kind, name in secret_references(path)}
    return replace_secret_references(path, values)
