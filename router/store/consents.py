"""The user's consents to start a server's command, and what it may access during discovery:
`consents.json`.

A consent covers what would run: command, arguments, folder, environment variables (with the values
as written of all but the harmless ones) and the program the command resolves to. If any of them
changes, consent is needed again. Consents have their own file, so that a pasted `workspace.json`
can't contain one, and each is signed, so that a file from elsewhere contains none either.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter

from router.config.secret_references import replace_secret_references, secret_references
from router.config.server import ServerConfig
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from router.domain.permissions import is_harmless
from router.domain.receipts import DiscoveryAccess, SharedPath
from router.domain.servers import TransportType
from router.runtime.search_path import extended_path
from router.store import json_text
from router.store.consent_key import ConsentKey
from router.store.files import atomic_write, locked, translate_os_errors
from router.store.json_file import UnusableFile, load_json_file

log = logging.getLogger(__name__)

_FORMAT_VERSION = 2
"""In version 1 nothing was signed, so nothing in it is believed."""
_SERVERS, _DISCOVERY, _SHARED, _FOLDERS = "servers", "discovery", "shared", "folders"
_ALL_PARTS = (_SERVERS, _DISCOVERY, _SHARED, _FOLDERS)
_READ_ONLY, _READ_WRITE = "ro", "rw"
_PARTS = TypeAdapter(dict[str, dict[str, str]])


class ConsentStore:
    """The consents of one workspace. HTTP servers need none."""

    def __init__(self, workspace_folder: Path, key: ConsentKey) -> None:
        self._path = workspace_folder / "consents.json"
        self._workspace = workspace_folder.name
        self._key = key

    def records(self) -> dict[str, str]:
        """What was consented to, by server; another record means another consent."""
        return self._read(_SERVERS)

    def has(self, server: ServerId, config: ServerConfig) -> bool:
        if config.transport is TransportType.HTTP:
            return True
        signature = self._read(_SERVERS).get(server, "")
        return self._key.is_signature(signature, self._workspace, server, fingerprint(config))

    def lost_program(self, server: ServerId, config: ServerConfig) -> bool:
        """Whether the user consented to the server's command, or to an earlier one, and its program
        is not found now: then that is what the user has to know, rather than that another program
        would need a consent. The signature covers the program that is missing, so it can't be
        checked: use this for a message only, never to start anything."""
        return (
            server in self._read(_SERVERS)
            and bool(config.command)
            and resolved_program(config) is None
        )

    def grant(self, server: ServerId, config: ServerConfig) -> None:
        signed = self._key.sign(self._workspace, server, fingerprint(config))
        self._change(_SERVERS, lambda consents: {**consents, server: signed})

    def access(self, server: ServerId, config: ServerConfig) -> DiscoveryAccess:
        """What it may access during discovery; granted for one configuration only."""
        access, _, signature = self._read(_DISCOVERY).get(server, "").partition(" ")
        signed = (self._workspace, server, access, config.config_hash)
        granted = self._key.is_signature(signature, *signed)
        known = access in [str(each) for each in DiscoveryAccess]
        return DiscoveryAccess(access) if granted and known else DiscoveryAccess.ISOLATED

    def allow(self, server: ServerId, config: ServerConfig, access: DiscoveryAccess) -> None:
        signature = self._key.sign(self._workspace, server, access, config.config_hash)
        self._change(_DISCOVERY, lambda allowed: {**allowed, server: f"{access} {signature}"})

    def shared(self, server: ServerId, config: ServerConfig) -> tuple[SharedPath, ...]:
        """The files and folders it may use during discovery; for one configuration only."""
        signature, _, paths = self._read(_SHARED).get(server, "").partition("\n")
        signed = (self._workspace, server, _SHARED, paths, config.config_hash)
        if not self._key.is_signature(signature, *signed):
            return ()
        marked = (line.partition(" ") for line in paths.splitlines())
        return tuple(SharedPath(path, mode == _READ_WRITE) for mode, _, path in marked)

    def share(self, server: ServerId, config: ServerConfig, shared: Iterable[SharedPath]) -> None:
        """Replace what is shared with a server."""
        modes = {each.path: _READ_WRITE if each.writable else _READ_ONLY for each in shared}
        paths = "\n".join(f"{mode} {path}" for path, mode in modes.items())
        signature = self._key.sign(self._workspace, server, _SHARED, paths, config.config_hash)
        self._change(_SHARED, lambda kept: {**kept, server: f"{signature}\n{paths}"})

    def has_folder(self, server: ServerId, config: ServerConfig, folder: str) -> bool:
        """Whether it may run in a client's folder: in one that was allowed, or below it."""
        allowed, real = self._read(_FOLDERS), Path(os.path.realpath(folder))
        running = fingerprint(config)
        return any(
            self._key.is_signature(signature, self._workspace, server, str(root), running)
            for root in (real, *real.parents)
            if (signature := allowed.get(f"{server} {root}"))
        )

    def allow_folder(self, server: ServerId, config: ServerConfig, folder: str) -> None:
        """Allow it to run in `folder` and below, with this configuration only."""
        root = os.path.realpath(folder)
        signed = self._key.sign(self._workspace, server, root, fingerprint(config))
        self._change(_FOLDERS, lambda allowed: {**allowed, f"{server} {root}": signed})

    def forget(self, server: ServerId) -> None:
        """Does nothing if the file can't be used: then it contains no consent."""
        with suppress(UnusableFile):
            for part in _ALL_PARTS:
                self._change(
                    part,  # a folder follows its server after a space
                    lambda kept: {k: v for k, v in kept.items() if k.partition(" ")[0] != server},
                )

    def _change(self, part: str, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        with translate_os_errors(self._path), locked(self._path):
            parts = self._load()
            after = {**parts, part: change(parts[part])}
            if after != parts:
                sorted_parts = {name: dict(sorted(kept.items())) for name, kept in after.items()}
                file = {"formatVersion": _FORMAT_VERSION, **sorted_parts}
                atomic_write(self._path, json_text.dump(file))

    def _read(self, part: str) -> dict[str, str]:
        """An unusable file contains no consents."""
        try:
            return self._load()[part]
        except UnusableFile as error:
            log.warning("%s", error.message)
            return {}

    def _load(self) -> dict[str, dict[str, str]]:
        return load_json_file(self._path, _parts, missing=_parts({}), version=_FORMAT_VERSION)


def _parts(file: JsonObject) -> dict[str, dict[str, str]]:
    """As strings of any content, which are judged one by one."""
    empty: dict[str, dict[str, str]] = {part: {} for part in _ALL_PARTS}
    return {**empty, **_PARTS.validate_python(file)}


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


def search_path(config: ServerConfig) -> str:
    """The server's own PATH, otherwise ours."""
    path = config.env.get("PATH")
    if path is None:
        return extended_path(os.environ.get("PATH", os.defpath), os.environ)
    values = {(kind, name): os.environ.get(name, "") for kind, name in secret_references(path)}
    return replace_secret_references(path, values)
