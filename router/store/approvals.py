"""Which tools a person has approved, each as it was then: `approvals.json`, beside the consents.

The pins in that file decide alone what may be searched and called. What the approved tools looked
like is kept in `approved/`, only to show what has changed; it decides nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from router.domain.errors import ToolboothError
from router.domain.ids import ServerId
from router.domain.json_values import JsonObject, as_object
from router.domain.tool_lists import Approval, ApprovalPolicy, Held, PreparedTool
from router.store import json_text
from router.store.files import Stamp, atomic_write, explained, locked, stamp_of

log = logging.getLogger(__name__)

FORMAT_VERSION = 1
_FORM = ("title", "description", "inputSchema", "outputSchema", "annotations")


@dataclass(frozen=True, slots=True)
class _Record:
    """What is approved of a server: `subject` is the server it was approved of."""

    subject: str
    pins: Mapping[str, str]


class ApprovalStore:
    """The approvals of one workspace. Blocks: always on a thread."""

    def __init__(self, workspace_folder: Path) -> None:
        self._path = workspace_folder / "approvals.json"
        self._forms = workspace_folder / "approved"
        self._known: tuple[Stamp, dict[str, _Record] | None] | None = None
        """The file as last seen: at a start it is asked for once for each server."""

    def review(
        self,
        server: ServerId,
        subject: str,
        tools: Iterable[PreparedTool],
        policy: ApprovalPolicy,
    ) -> dict[str, Held]:
        """Those of `tools` that wait for a person, after what `policy` approves by itself."""
        pins = {tool.name: tool.pin for tool in tools}
        record = self._settled(server, subject, pins, policy, tuple(tools))
        waiting = {name for name, pin in pins.items() if record.pins.get(name) != pin}
        if not waiting:
            return {}
        forms = self._approved_forms(server) if waiting & record.pins.keys() else {}
        return {
            name: Held(Approval.CHANGED, forms.get(name))
            if name in record.pins
            else Held(Approval.PENDING)
            for name in sorted(waiting)
        }

    def approve(self, server: ServerId, subject: str, tools: Iterable[PreparedTool]) -> None:
        """A person has seen these, as they are now."""
        chosen = tuple(tools)
        with explained(self._path), locked(self._path):
            records = self._read() or {}
            known = records.get(server)
            before = known if known and known.subject == subject else _Record(subject, {})
            pins = {tool.name: tool.pin for tool in chosen}
            record = replace(before, pins={**before.pins, **pins})
            self._write(server, record, records, chosen)

    def forget(self, server: ServerId) -> None:
        with explained(self._path), locked(self._path):
            records = self._read() or {}
            if server in records:
                self._write_records({k: v for k, v in records.items() if k != server})
            self._form_file(server).unlink(missing_ok=True)

    def _settled(
        self,
        server: ServerId,
        subject: str,
        pins: Mapping[str, str],
        policy: ApprovalPolicy,
        tools: tuple[PreparedTool, ...],
    ) -> _Record:
        """What is approved, once the policy has had its say."""
        records = self._current()
        if records is None:
            return _Record(subject, {})  # unreadable: then nothing is approved
        record = records.get(server)
        if not pins:
            return record or _Record(subject, {})  # a first list of nothing is no first list
        wanted = _by_policy(record, subject, pins, policy)
        if wanted == record:
            return wanted
        try:
            with explained(self._path), locked(self._path):
                self._write(server, wanted, self._read() or {}, tools)
        except ToolboothError as error:
            log.warning("The approvals of %s were not kept: %s", server, error.message)
        return wanted

    def _write(
        self,
        server: ServerId,
        record: _Record,
        records: Mapping[str, _Record],
        tools: Iterable[PreparedTool],
    ) -> None:
        """The forms first: a pin holds without its form, but a form is nothing without its pin."""
        forms = self._approved_forms(server)
        forms |= {
            tool.name: _form(tool) for tool in tools if record.pins.get(tool.name) == tool.pin
        }
        kept = {name: form for name, form in forms.items() if name in record.pins}
        file = {"formatVersion": FORMAT_VERSION, "tools": kept}
        atomic_write(self._form_file(server), json.dumps(file, separators=(",", ":")).encode())
        self._write_records({**records, server: record})

    def _write_records(self, records: Mapping[str, _Record]) -> None:
        servers = {
            server: {"subject": record.subject, "pins": dict(sorted(record.pins.items()))}
            for server, record in sorted(records.items())
        }
        file = {"formatVersion": FORMAT_VERSION, "servers": servers}
        atomic_write(self._path, json_text.dump(file))

    def _current(self) -> dict[str, _Record] | None:
        """As `_read`, but only if the file is another than before."""
        try:
            stamp = stamp_of(self._path)  # before reading, so that a later write is seen next time
        except OSError:
            return self._read()
        known = self._known
        if known is None or known[0] != stamp:
            known = self._known = (stamp, self._read())
        return known[1]

    def _read(self) -> dict[str, _Record] | None:
        """None for a file that can't be used."""
        try:
            file = as_object(cast(object, json.loads(self._path.read_bytes())))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            log.warning("Ignoring the approvals in %s: %s", self._path, error)
            return None
        if file.get("formatVersion") != FORMAT_VERSION:
            log.warning("Ignoring the approvals in %s: another format version", self._path)
            return None
        servers = as_object(file.get("servers"))
        return {server: _record(as_object(value)) for server, value in servers.items()}

    def _approved_forms(self, server: ServerId) -> dict[str, JsonObject]:
        try:
            file = as_object(cast(object, json.loads(self._form_file(server).read_bytes())))
        except (OSError, ValueError, RecursionError):
            return {}
        return {name: as_object(form) for name, form in as_object(file.get("tools")).items()}

    def _form_file(self, server: ServerId) -> Path:
        return self._forms / f"{server}.json"


def _by_policy(
    record: _Record | None, subject: str, pins: Mapping[str, str], policy: ApprovalPolicy
) -> _Record:
    if policy is ApprovalPolicy.TRUST:
        return _Record(subject, dict(pins))
    if record is None or record.subject != subject:
        first = policy is ApprovalPolicy.ASK_ON_CHANGE
        return _Record(subject, dict(pins) if first else {})
    return replace(record)


def _record(value: JsonObject) -> _Record:
    pins = {k: v for k, v in as_object(value.get("pins")).items() if isinstance(v, str)}
    return _Record(str(value.get("subject")), pins)


def _form(tool: PreparedTool) -> JsonObject:
    return {key: tool.shown[key] for key in _FORM if key in tool.shown}
