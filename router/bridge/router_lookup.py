"""Finds the router, starts it if that is allowed, and provides a token for it."""

from __future__ import annotations

import asyncio
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

_START_TIMEOUT_S = 30.0
_POLL_EVERY_S = 0.1
_TEMPORARY_LIFETIME = timedelta(days=1)


async def router_url(data_dir: Path, *, start: bool) -> str:
    """The URL of the router of a data directory; with `start`, it is started if it is not running.
    Raises `ToolboothError`."""
    if (url := await asyncio.to_thread(_running_url, data_dir)) is not None:
        return url
    if not (start and _settings(data_dir).bridge_starts_router):
        raise ToolboothError("Toolbooth is not running.", "Start it, then try again.")
    _start(data_dir)
    return await asyncio.to_thread(_await_start, data_dir)


def _await_start(data_dir: Path) -> str:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        if (url := _running_url(data_dir)) is not None:
            return url
        time.sleep(_POLL_EVERY_S)
    raise ToolboothError("Toolbooth did not start in time.", "Start it by hand.")


def _running_url(data_dir: Path) -> str | None:
    instance = describe(data_dir)
    return instance.url if instance is not None and instance.is_alive else None


def _settings(data_dir: Path) -> Settings:
    try:
        return Settings.model_validate_json((data_dir / "settings.json").read_bytes())
    except (OSError, ValueError):
        return Settings()


def _start(data_dir: Path) -> None:
    """With its window where there is a display, so that it appears in the tray."""
    windowed = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    arguments = ["--hidden"] if windowed else ["serve"]
    program = [] if getattr(sys, "frozen", False) else ["-m", "gui"]
    subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, *program, *arguments, "--data-dir", str(data_dir)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


class Profile:
    """The client of the bridge: its token is in the keyring, under the profile's name.

    A missing token is created; without a keyring, only for this run.
    """

    def __init__(self, data_dir: Path, name: str) -> None:
        self._data_dir = data_dir
        self._name = name
        self._temporary: TokenId | None = None
        self.is_new = False
        """Whether the router may not know the token yet."""

    async def token(self) -> str:
        secrets, name = KeyringSecrets(), f"profile/{self._name}"
        try:
            return await secrets.get(name)
        except SecretUnavailable as error:
            has_keyring = error.__cause__ is None and "no secret" in error.message
        expires_at = None if has_keyring else utc_now() + _TEMPORARY_LIFETIME
        issued = self._store().issue(self._name, None, None, expires_at)
        self.is_new = True
        try:
            await secrets.set(name, issued.secret)
        except SecretUnavailable:
            self._temporary = issued.summary.id
        return issued.secret

    def close(self) -> None:
        """Revoke a token that could not be stored."""
        if self._temporary is not None:
            with suppress(ToolboothError):
                self._store().revoke(self._temporary)

    def _store(self) -> TokenStore:
        return TokenStore(self._data_dir / "tokens.json", utc_now)
