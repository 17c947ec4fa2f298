"""Finding the router: where it runs, starting it if it may be started, and the token to show it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from router.config.settings import Settings
from router.domain.errors import SecretUnavailable, ToolboothError
from router.domain.ids import TokenId
from router.runtime.clock import utc_now
from router.store.instance_lock import describe
from router.store.secrets import KeyringSecrets
from router.store.tokens import TokenStore

_START_WITHIN_S = 30.0
_LOOK_EVERY_S = 0.1
_WITHOUT_KEYRING = timedelta(days=1)


class Router:
    """The router of a data directory, as the bridge sees it."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    async def url(self, *, start: bool) -> str:
        """Where it listens; with `start` it is started if none runs. Raises `ToolboothError`."""
        if (url := await asyncio.to_thread(self._running)) is not None:
            return url
        if not (start and self._settings().bridge_starts_router):
            raise ToolboothError("Toolbooth is not running.", "Start it, then try again.")
        self._start()
        return await asyncio.to_thread(self._await_start)

    def _await_start(self) -> str:
        deadline = time.monotonic() + _START_WITHIN_S
        while time.monotonic() < deadline:
            if (url := self._running()) is not None:
                return url
            time.sleep(_LOOK_EVERY_S)
        raise ToolboothError("Toolbooth did not start in time.", "Start it by hand.")

    def _running(self) -> str | None:
        instance = describe(self._data_dir)
        return instance.url if instance is not None and instance.is_alive else None

    def _settings(self) -> Settings:
        try:
            return Settings.model_validate_json((self._data_dir / "settings.json").read_bytes())
        except (OSError, ValueError):
            return Settings()

    def _start(self) -> None:
        """With its window where there can be one, so that a person finds it in their tray."""
        windowed = sys.platform in ("win32", "darwin") or any(
            os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
        )
        words = ["--hidden"] if windowed else ["serve"]
        program = [] if getattr(sys, "frozen", False) else ["-m", "gui"]
        nothing = subprocess.DEVNULL
        subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, *program, *words, "--data-dir", str(self._data_dir)],
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
        )


class Profile:
    """The client the bridge speaks for: its token lies in the keyring, under the profile's name.

    Where there is none yet one is made; without a keyring it is good for this run only.
    """

    def __init__(self, data_dir: Path, name: str) -> None:
        self._data_dir = data_dir
        self._name = name
        self._temporary: TokenId | None = None
        self.is_new = False
        """Whether the router may not have heard of the token yet."""

    async def token(self) -> str:
        secrets, place = KeyringSecrets(), f"profile/{self._name}"
        has_keyring = True
        try:
            return await secrets.get(place)
        except SecretUnavailable as error:
            has_keyring = error.__cause__ is None and "no secret" in error.message
        store = self._store()
        expires_at = None if has_keyring else utc_now() + _WITHOUT_KEYRING
        issued = store.issue(self._name, None, None, expires_at)
        self.is_new = True
        try:
            await secrets.set(place, issued.secret)
        except SecretUnavailable:
            self._temporary = issued.summary.id
        return issued.secret

    def close(self) -> None:
        """A token that nobody could find again is revoked."""
        if self._temporary is not None:
            with suppress(ToolboothError):
                self._store().revoke(self._temporary)

    def _store(self) -> TokenStore:
        return TokenStore(self._data_dir / "tokens.json", utc_now)


def error_of(body: bytes) -> str:
    """The sentence in an answer that is a refusal."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode("utf-8", "replace")
