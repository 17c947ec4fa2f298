"""What a workspace has approved of its servers' lists, by hash: `approvals.json`.

Only the hashes (`pins`) in that file decide which tools may be searched and called, and which
prompts, resources and instructions clients get: here, "tools" are all of these. The approved
definitions are kept in `approved/`, only to show what has changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter

from router.domain.ids import ServerId
from router.domain.json_values import JsonObject
from router.domain.tool_lists import (
    Approvable,
    Approval,
    ApprovalPolicy,
    ItemKind,
    ListedItem,
    PendingApproval,
)
from router.store import json_text
from router.store.deferred_writes import DeferredWrites
from router.store.files import FileVersion, atomic_write, file_version, locked, translate_os_errors
from router.store.json_file import FORMAT_VERSION, UnusableFile, load_json_file, read_json_file

_APPROVED_FIELDS = ("title", "description", "inputSchema", "outputSchema", "annotations")


@dataclass(frozen=True, slots=True)
class _Record:
    """The approvals for one server; `subject` identifies the configuration they were given for."""

    subject: str
    pins: Mapping[str, str]
    """The hash of each approved definition, by tool name; called so in the file."""
    dismissed: Mapping[str, str] = field(default_factory=dict[str, str])
    """The hash of each definition whose findings the user has dismissed, by tool name."""
    complete: bool = False
    """Whether it is about more than tools; records of earlier versions are not."""


_RECORDS = TypeAdapter(dict[str, _Record])
_TOOLS = TypeAdapter(dict[str, JsonObject])


class ApprovalStore:
    """The approvals of one workspace. Blocks: call it in a thread."""

    def __init__(self, workspace_folder: Path, deferred: DeferredWrites) -> None:
        self._path = workspace_folder / "approvals.json"
        self._definitions_folder = workspace_folder / "approved"
        self._deferred = deferred
        self._unwritten: dict[ServerId, _Record] = {}
        """Those the policy has changed that could not be written yet."""
        self._known: tuple[FileVersion, dict[str, _Record] | None] | None = None
        """The file as last read: at startup every server asks for it."""

    def review(
        self,
        server: ServerId,
        subject: str,
        tools: Sequence[Approvable],
        policy: ApprovalPolicy,
    ) -> dict[str, PendingApproval]:
        """Those of `tools` that need approval, after `policy` was applied."""
        record = self._apply_policy(server, subject, tools, policy)
        unapproved = {
            tool.name for tool in tools if record.pins.get(tool.name) != tool.definition_hash
        }
        if not unapproved:
            return {}
        changed = unapproved & record.pins.keys()
        definitions = self._approved_definitions(server) if changed else {}
        return {
            name: PendingApproval(Approval.CHANGED, definitions.get(name))
            if name in changed
            else PendingApproval(Approval.PENDING)
            for name in sorted(unapproved)
        }

    def approve(self, server: ServerId, subject: str, tools: Sequence[Approvable]) -> None:
        """Approve `tools` in their current form."""
        with translate_os_errors(self._path), locked(self._path):
            records = self._load()
            known = self._unwritten.get(server) or records.get(server)
            before = known if known and known.subject == subject else _blank(subject)
            record = replace(before, pins={**before.pins, **_hashes(tools)})
            self._write(server, record, records, tools)
        self._drop_unwritten(server)

    def dismiss(self, server: ServerId, subject: str, tools: Sequence[Approvable]) -> None:
        """Dismiss the findings of `tools` in their current form."""
        with translate_os_errors(self._path), locked(self._path):
            records = self._load()
            known = self._unwritten.get(server) or records.get(server)
            before = known if known and known.subject == subject else _blank(subject)
            record = replace(before, dismissed={**before.dismissed, **_hashes(tools)})
            self._write(server, record, records, ())
        self._drop_unwritten(server)

    def dismissed(
        self, server: ServerId, subject: str, tools: Sequence[Approvable]
    ) -> frozenset[str]:
        """Those of `tools` whose findings were dismissed in their current form."""
        record = self._unwritten.get(server) or (self._current() or {}).get(server)
        if record is None or record.subject != subject or not record.dismissed:
            return frozenset()
        hashes = record.dismissed
        return frozenset(t.name for t in tools if hashes.get(t.name) == t.definition_hash)

    def forget(self, server: ServerId) -> None:
        """Does nothing if the file can't be used: then it approves nothing."""
        self._drop_unwritten(server)
        with (
            suppress(UnusableFile),
            translate_os_errors(self._path),
            locked(self._path),
        ):
            records = self._load()
            if server in records:
                self._write_records({k: v for k, v in records.items() if k != server})
            self._definitions_file(server).unlink(missing_ok=True)

    def _apply_policy(
        self,
        server: ServerId,
        subject: str,
        tools: Sequence[Approvable],
        policy: ApprovalPolicy,
    ) -> _Record:
        """The record after `policy` was applied to it, which is stored if it changed."""
        records = self._current()
        if records is None:
            return _blank(subject)  # unreadable: nothing is approved
        record = self._unwritten.get(server) or records.get(server)
        updated = _by_policy(record, subject, tools, policy)
        # A list that is empty, or has only the server's instructions, does not count as the first.
        if updated == record or all(_is_about_server(tool) for tool in tools):
            return updated
        self._unwritten[server] = updated
        self._deferred.write((self, server), lambda: self._write_unwritten(server, updated, tools))
        return updated

    def _write_unwritten(
        self, server: ServerId, record: _Record, tools: Sequence[Approvable]
    ) -> None:
        with translate_os_errors(self._path), locked(self._path):
            self._write(server, record, self._load(), tools)
        self._unwritten.pop(server, None)

    def _drop_unwritten(self, server: ServerId) -> None:
        self._unwritten.pop(server, None)
        self._deferred.forget((self, server))

    def _write(
        self,
        server: ServerId,
        record: _Record,
        records: Mapping[str, _Record],
        tools: Iterable[Approvable],
    ) -> None:
        """Definitions first: a hash is valid without its definition, but not vice versa."""
        definitions = dict(load_json_file(self._definitions_file(server), _tools, missing={}))
        definitions |= {
            tool.name: _definition(tool)
            for tool in tools
            if record.pins.get(tool.name) == tool.definition_hash
        }
        kept = {name: each for name, each in definitions.items() if name in record.pins}
        file = {"formatVersion": FORMAT_VERSION, "tools": kept}
        atomic_write(
            self._definitions_file(server), json.dumps(file, separators=(",", ":")).encode()
        )
        self._write_records({**records, server: record})

    def _write_records(self, records: Mapping[str, _Record]) -> None:
        servers = {
            server: {
                "subject": record.subject,
                "pins": dict(sorted(record.pins.items())),
                "dismissed": dict(sorted(record.dismissed.items())),
                "complete": record.complete,
            }
            for server, record in sorted(records.items())
        }
        file = {"formatVersion": FORMAT_VERSION, "servers": servers}
        atomic_write(self._path, json_text.dump(file))

    def _current(self) -> dict[str, _Record] | None:
        """As `_read`, but reads the file only if it has changed."""
        try:
            version = file_version(self._path)  # before reading, so that a later write is noticed
        except OSError:
            return self._read()
        known = self._known
        if known is None or known[0] != version:
            known = self._known = (version, self._read())
        return known[1]

    def _read(self) -> dict[str, _Record] | None:
        """None for an unusable file."""
        return read_json_file(self._path, _records, missing={})

    def _load(self) -> dict[str, _Record]:
        """Raises `UnusableFile`."""
        return load_json_file(self._path, _records, missing={})

    def _approved_definitions(self, server: ServerId) -> dict[str, JsonObject]:
        return read_json_file(self._definitions_file(server), _tools, missing={}) or {}

    def _definitions_file(self, server: ServerId) -> Path:
        return self._definitions_folder / f"{server}.json"


def _by_policy(
    record: _Record | None, subject: str, tools: Sequence[Approvable], policy: ApprovalPolicy
) -> _Record:
    if policy is ApprovalPolicy.TRUST:
        same = record is not None and record.subject == subject
        base = record if record and same else _blank(subject)
        return replace(base, pins=_hashes(tools), complete=True)
    if record is None or record.subject != subject:
        first = policy is ApprovalPolicy.ASK_ON_CHANGE
        return replace(_blank(subject), pins=_hashes(tools) if first else {})
    if not record.complete:  # Clients had the rest of the list without an approval.
        rest = _hashes(tool for tool in tools if isinstance(tool, ListedItem))
        return replace(record, pins={**rest, **record.pins}, complete=True)
    return record


def _blank(subject: str) -> _Record:
    return _Record(subject, {}, complete=True)


def _is_about_server(tool: Approvable) -> bool:
    return isinstance(tool, ListedItem) and tool.kind is ItemKind.SERVER


def _records(file: JsonObject) -> dict[str, _Record]:
    return _RECORDS.validate_python(file.get("servers", {}))


def _tools(file: JsonObject) -> dict[str, JsonObject]:
    return _TOOLS.validate_python(file["tools"])


def _hashes(tools: Iterable[Approvable]) -> dict[str, str]:
    return {tool.name: tool.definition_hash for tool in tools}


def _definition(tool: Approvable) -> JsonObject:
    if isinstance(tool, ListedItem):
        return tool.shown
    return {key: tool.shown[key] for key in _APPROVED_FIELDS if key in tool.shown}
