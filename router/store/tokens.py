"""The tokens clients connect with: `tbt_<id>_<secret>`, of which only id and SHA-256 are stored.

`verify` runs on every request and takes microseconds. A revocation takes effect at once, and after
the next `reload_if_changed` if another process did it.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, Field

from router.config.base import ConfigModel
from router.domain.clients import IssuedToken, TokenSummary
from router.domain.errors import InvalidInput, NotFound, ToolboothError, sentence
from router.domain.ids import ProjectId, ServerId, TokenId, WorkspaceId
from router.runtime.clock import Clock
from router.store import json_text
from router.store.document import Document, FileChange

log = logging.getLogger(__name__)

PREFIX = "tbt_"
_ID_LENGTH = 8
_SECRET_BYTES = 32
_LENGTH = len(PREFIX) + _ID_LENGTH + 1 + 43
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_RECORD_USE_EVERY = timedelta(seconds=1)
_WRITE_USE_EVERY = timedelta(minutes=1)


class StoredToken(ConfigModel):
    """A token in `tokens.json`: enough to reinstate it, not to use it."""

    id: TokenId = Field(pattern=r"^[0-9a-f]{8}$")
    name: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    workspace: WorkspaceId | None = None
    project: ProjectId | None = None
    generation: str | None = None
    servers: tuple[ServerId, ...] | None = None
    created_at: AwareDatetime
    expires_at: AwareDatetime | None = None
    last_used_at: AwareDatetime | None = None


class _TokenFile(ConfigModel):
    schema_version: Literal[1] = 1
    tokens: tuple[StoredToken, ...] = ()


class TokenStore:
    """Thread-safe; other processes may change `tokens.json`."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        empty = _TokenFile()
        self._file = Document(path, empty, read=_read, write=_TokenFile.to_json, if_missing=empty)
        self._writing = threading.Lock()
        self._by_id: dict[TokenId, tuple[TokenSummary, bytes]] = {}
        """Each with its SHA-256."""
        self._used: dict[TokenId, datetime] = {}
        self._use_written_at = clock()
        self._refresh()

    def verify(self, text: str) -> TokenSummary | None:
        """The token that `text` is, if it is a valid one."""
        if len(text) != _LENGTH or not text.startswith(PREFIX):
            return None
        known = self._by_id.get(TokenId(text[len(PREFIX) : len(PREFIX) + _ID_LENGTH]))
        if known is None or not hmac.compare_digest(_digest(text), known[1]):
            return None
        summary = known[0]
        if summary.expires_at is not None and self._clock() >= summary.expires_at:
            return None
        return summary

    def list(self) -> tuple[TokenSummary, ...]:
        """All tokens, by name."""
        summaries = (summary for summary, _ in self._by_id.values())
        return tuple(sorted(summaries, key=lambda summary: (summary.name, summary.id)))

    def issue(
        self,
        name: str,
        workspace: WorkspaceId | None,
        project: ProjectId | None,
        expires_at: datetime | None = None,
        servers: Sequence[ServerId] | None = None,
        generation: str | None = None,
    ) -> IssuedToken:
        if not name.strip():
            raise InvalidInput("A token needs a name.", "Name it after the app that uses it.")
        token_id = TokenId(secrets.token_hex(_ID_LENGTH // 2))
        secret = f"{PREFIX}{token_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        stored = StoredToken(
            id=token_id,
            name=name.strip(),
            sha256=_digest(secret).hex(),
            workspace=workspace,
            project=project,
            generation=generation,
            servers=tuple(servers) if servers is not None else None,
            created_at=self._clock(),
            expires_at=expires_at,
        )
        self._change(lambda tokens: (*tokens, stored))
        return IssuedToken(_summary(stored), secret)

    def revoke(self, id_or_name: str) -> TokenSummary:
        """Revoke a token; the id is needed if several have the same name."""
        self.reload_if_changed()
        found = [token for token in self.list() if id_or_name in (token.id, token.name)]
        if not found:
            raise NotFound(
                sentence('There is no token "{name}".', name=id_or_name),
                "List them with: toolbooth token list",
            )
        if len(found) > 1:
            ids = ", ".join(token.id for token in found)
            raise InvalidInput(
                sentence('Several tokens are named "{name}".', name=id_or_name),
                sentence("Use the id: {ids}.", ids=ids),
            )
        self.withdraw(found[0].id)
        return found[0]

    def withdraw(self, token: TokenId) -> StoredToken | None:
        """Revoke a token so that it can be reinstated; None if there is no such token."""
        self.reload_if_changed()
        found = next((each for each in self._file.value.tokens if each.id == token), None)
        self._change(lambda tokens: tuple(each for each in tokens if each.id != token))
        return found

    def reinstate(self, withdrawn: StoredToken) -> None:
        """Make a withdrawn token valid again."""
        self._change(lambda tokens: (*tokens, withdrawn))

    def touch(self, token: TokenId) -> None:
        """Record that `token` was used now, to the second. A request must not wait for the disk, so
        a thread writes it once a minute."""
        now = self._clock()
        # If another thread replaces this dict meanwhile, a revoked token stays revoked.
        by_id = self._by_id
        known = by_id.get(token)
        if known is None or abs(now - self._used.get(token, _LONG_AGO)) < _RECORD_USE_EVERY:
            return
        self._used[token] = now
        summary, digest = known
        by_id[token] = replace(summary, last_used_at=now), digest
        if abs(now - self._use_written_at) >= _WRITE_USE_EVERY:
            self._use_written_at = now
            threading.Thread(target=self.flush, name="token-use", daemon=True).start()

    def flush(self) -> None:
        """Write when tokens were last used."""
        used = dict(self._used)
        if all(t.last_used_at == used.get(t.id, t.last_used_at) for t in self._file.value.tokens):
            return
        try:
            self._change(lambda tokens: tuple(_used_at(t, used.get(t.id)) for t in tokens))
        except ToolboothError as error:
            log.warning("When tokens were last used could not be written: %s", error)

    def reload_if_changed(self) -> bool:
        """Load what another process wrote; whether anything changed."""
        with self._writing:
            return self._refresh()

    def _refresh(self) -> bool:
        change = self._file.refresh()
        if self._file.rejection is not None and FileChange.REJECTED in change:
            log.warning("Keeping the tokens as they were: %s", self._file.rejection)
        if FileChange.CHANGED in change:
            self._index()
        return FileChange.CHANGED in change

    def _change(self, change: Callable[[tuple[StoredToken, ...]], tuple[StoredToken, ...]]) -> None:
        with self._writing:
            self._file.update(lambda file: _TokenFile(tokens=change(file.tokens)))
            self._index()

    def _index(self) -> None:
        """Replaced as a whole, because other threads may verify meanwhile."""
        used = self._used
        self._by_id = {
            stored.id: (
                _summary(_used_at(stored, used.get(stored.id))),
                bytes.fromhex(stored.sha256),
            )
            for stored in self._file.value.tokens
        }


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _summary(stored: StoredToken) -> TokenSummary:
    return TokenSummary(**stored.model_dump(exclude={"sha256"}))


def _used_at(stored: StoredToken, used: datetime | None) -> StoredToken:
    return stored if used is None else stored.model_copy(update={"last_used_at": used})


def _read(path: Path, text: str) -> _TokenFile:
    return json_text.validated(_TokenFile, path, text, json_text.parse(path, text))
