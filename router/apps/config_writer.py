"""Our entry in other applications' files: previewed before it is written, and undone on request.

Everything here blocks on files: call it off the loop. Tokens are never shown.
"""

from __future__ import annotations

import difflib
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from router.api.apps import (
    App,
    AppConnection,
    AppConnectionPlan,
    AppId,
    AppState,
    DiffLine,
)
from router.apps import config_document, file_edit
from router.apps.app_specs import CONNECTABLE, ENTRY, AppSpec, EntryTarget
from router.apps.config_reader import SelfReference, existing_file, plain_config
from router.apps.locations import AppLocations
from router.catalog.config_edits import free_name
from router.config.secret_detection import looks_secret
from router.domain.errors import ConfigError, NotFound, ToolboothError, sentence
from router.domain.ids import TokenId
from router.domain.json_values import JsonObject, as_object

_TOKEN = re.compile(r"tbt_([0-9a-f]{8})_[A-Za-z0-9_-]{43}")
_MASK = "tbt_••••••••"
_ASSIGNMENT = re.compile(
    r"""(?P<head>(?P<q>["']?)(?P<key>[\w.-]+)(?P=q)\s*[:=]\s*)"""
    r"""(?P<quote>["']?)(?P<value>[^\s"'{\[,](?:[^"'\n]*[^"'\n,])?)(?P=quote)"""
)
_CONTEXT_LINES = 3
_UNDO_KEPT = 20


@dataclass(frozen=True, slots=True)
class _Change:
    path: Path
    before: bytes | None
    after: str
    """The fingerprint of what was written."""


@dataclass(frozen=True, slots=True)
class _Target:
    """A file as it is now, and the name that our entry has or will have in it."""

    path: Path
    data: bytes | None
    text: str
    name: str
    entry: JsonObject | None


class AppConfigWriter:
    """`self_reference` recognizes entries that are ours at this moment."""

    def __init__(
        self,
        locations: AppLocations,
        self_reference: Callable[[], SelfReference],
        clock: Callable[[], datetime],
    ) -> None:
        self._locations = locations
        self._self_reference = self_reference
        self._clock = clock
        self._changes: dict[str, _Change] = {}

    def apps(self) -> tuple[App, ...]:
        return tuple(self._app(spec) for spec in CONNECTABLE)

    def plan(self, app_id: AppId, endpoint: EntryTarget) -> AppConnectionPlan:
        """What `connect` would do; the token of `endpoint` is not shown."""
        spec = spec_of(app_id)
        target = self._target(spec)
        new = _with_entry(spec, target, endpoint)
        return AppConnectionPlan(
            client=app_id,
            name=spec.name,
            path=target.path,
            new_file=target.data is None,
            lines=_diff(target.text, new),
            fingerprint=file_edit.fingerprint(target.data),
            open_to_others=not spec.by_bridge and file_edit.is_open_to_others(target.path),
        )

    def present_token(self, app_id: AppId) -> str | None:
        """The token its entry already has, so that it needs no new one."""
        found = _TOKEN.search(str(self._target(spec_of(app_id)).entry))
        return found.group() if found else None

    def connect(self, app_id: AppId, endpoint: EntryTarget, expected: str) -> AppConnection:
        """Write our entry into the file whose fingerprint was `expected` at the preview."""
        spec = spec_of(app_id)
        target = self._target(spec)
        return self._write(spec, target, _with_entry(spec, target, endpoint), expected)

    def disconnect(self, app_id: AppId) -> AppConnection:
        spec = spec_of(app_id)
        target = self._target(spec)
        if target.entry is None:
            raise NotFound(
                sentence("{name} is not connected.", name=spec.name),
                "List connected apps with: toolbooth client list",
            )
        return self._write(
            spec, target, _edited(spec, target, None), file_edit.fingerprint(target.data)
        )

    def undo(self, undo: str) -> None:
        """Restore the file byte for byte, unless it was changed since."""
        change = self._changes.get(undo)
        if change is None:
            raise NotFound("This can no longer be undone.", "The backup is next to the file.")
        if change.before is not None:
            file_edit.replace(change.path, change.before, expected=change.after)
        else:
            file_edit.remove(change.path, expected=change.after)
        del self._changes[undo]

    def snippet(self, app_id: AppId, endpoint: EntryTarget) -> str:
        """Our entry, to be pasted by hand into the application's file."""
        spec = spec_of(app_id)
        path = spec.paths(self._locations)[0]
        return _with_entry(spec, _Target(path, None, "", ENTRY, None), endpoint)

    def _app(self, spec: AppSpec) -> App:
        path = existing_file(spec, self._locations) or spec.paths(self._locations)[0]
        known = App(AppId(spec.id), spec.name, path, AppState.ABSENT, by_bridge=spec.by_bridge)
        try:
            target = self._target(spec)
        except ConfigError as error:
            return replace(known, state=AppState.UNREADABLE, reason=str(error))
        if target.entry is not None:
            token = _TOKEN.search(str(target.entry))
            named = TokenId(token.group(1)) if token else None
            outdated = not self._points_to_us(target.entry)
            return replace(known, state=AppState.CONNECTED, token=named, outdated=outdated)
        if target.data is None and not self._is_installed(spec, path):
            return known
        comments = config_document.has_comments(spec.format, target.text)
        return replace(known, state=AppState.FOUND, has_comments=comments)

    def _is_installed(self, spec: AppSpec, path: Path) -> bool:
        """By its folder, unless that is the home directory, or its program."""
        home = self._locations.home
        beside = path.parent != home and path.parent.is_dir()
        return beside or (bool(spec.command) and self._locations.has_command(spec.command))

    def _target(self, spec: AppSpec) -> _Target:
        path = existing_file(spec, self._locations) or spec.paths(self._locations)[0]
        data = file_edit.read_or_none(path)
        text = file_edit.decoded(path, data or b"")
        content = config_document.read(spec.format, path, text)
        entries = as_object(config_document.value_at(content, spec.keys))
        for name, entry in entries.items():
            if self._is_ours(as_object(entry)):
                return _Target(path, data, text, name, as_object(entry))
        # An entry of our name that is not ours stays unchanged.
        return _Target(path, data, text, free_name(ENTRY, "-", entries), None)

    def _is_ours(self, entry: JsonObject) -> bool:
        """It points to us, or has one of our tokens, as after a change of the port."""
        return self._points_to_us(entry) or _TOKEN.search(str(entry)) is not None

    def _points_to_us(self, entry: JsonObject) -> bool:
        config = plain_config(entry)
        return config is not None and self._self_reference().is_current(config)

    def _write(self, spec: AppSpec, target: _Target, text: str, expected: str) -> AppConnection:
        if file_edit.fingerprint(target.data) != expected:
            raise file_edit.changed_meanwhile(target.path, "Review the preview again.")
        data = text.encode()
        file_edit.refuse_protected(target.path)  # before a backup is made
        backup = None
        if target.data is not None:
            backup = file_edit.back_up(target.path, target.data, self._clock())
        try:
            file_edit.replace(target.path, data, expected=expected)
        except ToolboothError:
            if backup is not None:  # Nothing was changed.
                backup.unlink(missing_ok=True)
            raise
        if file_edit.read_or_none(target.path) != data:
            raise file_edit.changed_meanwhile(target.path, "Review the file and try again.")
        undo = secrets.token_hex(8)
        self._changes[undo] = _Change(target.path, target.data, file_edit.fingerprint(data))
        for oldest in list(self._changes)[:-_UNDO_KEPT]:
            del self._changes[oldest]
        return AppConnection(AppId(spec.id), spec.name, target.path, backup, undo)


def spec_of(app_id: AppId) -> AppSpec:
    for spec in CONNECTABLE:
        if app_id in (spec.id, spec.name):
            return spec
    raise NotFound(
        sentence('There is no app "{client}".', client=app_id),
        "List them with: toolbooth client list",
    )


def _with_entry(spec: AppSpec, target: _Target, endpoint: EntryTarget) -> str:
    return _edited(spec, target, spec.entry_for(endpoint))


def _edited(spec: AppSpec, target: _Target, entry: JsonObject | None) -> str:
    keys = (*spec.keys, target.name)
    return config_document.edited(spec.format, target.path, target.text, keys, entry)


def _diff(before: str, after: str) -> tuple[DiffLine, ...]:
    old, new = _masked(before).splitlines(), _masked(after).splitlines()
    lines = list(difflib.unified_diff(old, new, n=_CONTEXT_LINES, lineterm=""))[2:]
    return tuple(DiffLine(line[0], line[1:]) for line in lines if line[:2] != "@@")


def _masked(text: str) -> str:
    """`text` with our token and everything that looks like a secret masked."""
    return _ASSIGNMENT.sub(_mask_secret, _TOKEN.sub(_MASK, text))


def _mask_secret(found: re.Match[str]) -> str:
    if not looks_secret(found["key"]) or found["value"].startswith(("$", _MASK, f"Bearer {_MASK}")):
        return found[0]
    return f"{found['head']}{found['quote']}••••••••{found['quote']}"
