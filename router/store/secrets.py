"""Secrets: in the system's keyring, or for this session in memory; never as plain text on disk.

Files only contain references such as `${keyring:NAME}` and `${env:NAME}`. Only `resolve` turns them
into values, when a server is started.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Protocol, TypeVar, cast

from router.config.secret_detection import looks_secret
from router.config.secret_references import replace_secret_references, secret_references
from router.domain.errors import SecretUnavailable, UpstreamFailed, sentence
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind

T = TypeVar("T")

SERVICE = "toolbooth"
_WITHOUT_KEYRING = sentence(
    "Without a keyring, put the value in an environment variable and refer to it as ${env:NAME}."
)


class SecretStore(Protocol):
    """Stores secrets. A call may take as long as the user needs to unlock a keyring."""

    async def get(self, name: str) -> str: ...
    async def set(self, name: str, value: str) -> None: ...
    async def delete(self, name: str) -> None: ...


class _Backend(Protocol):
    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


class KeyringSecrets:
    """The system's keyring. A locked keyring blocks until the user unlocks it, so each call runs in
    its own thread, which is abandoned after `timeout_s`."""

    def __init__(self, timeout_s: float = 15) -> None:
        self._timeout_s = timeout_s

    async def get(self, name: str) -> str:
        value = await self._call(lambda: _backend().get_password(SERVICE, name))
        if value is None:
            raise SecretUnavailable(
                sentence("The keyring has no secret named {name}.", name=name),
                "Edit the server and enter it again.",
            )
        return value

    async def set(self, name: str, value: str) -> None:
        await self._call(lambda: _backend().set_password(SERVICE, name, value))

    async def delete(self, name: str) -> None:
        def delete_if_there() -> None:
            if _backend().get_password(SERVICE, name) is not None:
                _backend().delete_password(SERVICE, name)

        await self._call(delete_if_there)

    async def _call(self, work: Callable[[], T]) -> T:
        future = asyncio.wrap_future(_in_own_thread(work))
        try:
            return await asyncio.wait_for(future, self._timeout_s)
        except TimeoutError as error:
            raise SecretUnavailable(
                sentence(
                    "The keyring did not respond within {seconds} seconds.",
                    seconds=f"{self._timeout_s:g}",
                ),
                sentence("Unlock it, then try again. {otherwise}", otherwise=_WITHOUT_KEYRING),
            ) from error


class LayeredSecrets:
    """`primary`, and memory until the process ends for what it can't store."""

    def __init__(self, primary: SecretStore) -> None:
        self._primary = primary
        self._session: dict[str, str] = {}

    def persisted(self, name: str) -> bool:
        """Whether the secret outlives this process, as far as `set` knows."""
        return name not in self._session

    async def get(self, name: str) -> str:
        return self._session[name] if name in self._session else await self._primary.get(name)

    async def find(self, name: str) -> str | None:
        """The secret, or `None` if it can't be had."""
        with suppress(SecretUnavailable):
            return await self.get(name)
        return None

    async def set(self, name: str, value: str) -> None:
        """Store `value`; afterwards `persisted` tells whether it outlives this process."""
        try:
            await self._primary.set(name, value)
        except SecretUnavailable:
            self._session[name] = value
        else:
            self._session.pop(name, None)

    async def delete(self, name: str) -> None:
        was_here = self._session.pop(name, None) is not None
        try:
            await self._primary.delete(name)
        except SecretUnavailable:
            if not was_here:
                raise


async def resolve(
    values: Mapping[str, str],
    secrets: SecretStore,
    environ: Mapping[str, str],
    on_secret: Callable[[str], object] = str,
) -> dict[str, str]:
    """`values` with their references replaced; `UpstreamFailed` names the first that is missing.
    `on_secret` is called with each value that is a secret."""
    known: dict[tuple[str, str], str] = {}
    for text in values.values():
        for kind, name in secret_references(text):
            if (kind, name) not in known:
                known[kind, name] = await _look_up(kind, name, secrets, environ)
                if kind == "keyring" or looks_secret(name):
                    on_secret(known[kind, name])
    return {key: replace_secret_references(text, known) for key, text in values.items()}


async def _look_up(kind: str, name: str, secrets: SecretStore, environ: Mapping[str, str]) -> str:
    if kind == "env":
        if name in environ:
            return environ[name]
        raise _missing(
            name,
            sentence("Set the environment variable {name}, then start Toolbooth again.", name=name),
        )
    try:
        return await secrets.get(name)
    except SecretUnavailable as error:
        parts = {"message": sentence(error.message), "hint": sentence(error.hint)}
        raise _missing(name, sentence("{message} {hint}", **parts)) from error


def _missing(name: str, hint: str) -> UpstreamFailed:
    failure = Failure(FailureKind.SECRET_MISSING, subject=name, detail=hint)
    advice = advise(failure, server_name="")
    return UpstreamFailed(failure, advice.cause, advice.suggestion, advice.terminal)


def _backend() -> _Backend:
    """Importing keyring loads all backends and takes a quarter of a second: only in the thread."""
    import keyring
    from keyring.backends import null
    from keyring.errors import NoKeyringError

    backend = keyring.get_keyring()
    if isinstance(backend, null.Keyring):
        raise NoKeyringError("keyring is switched off")
    return cast(_Backend, backend)  # Its metaclass wraps `set_password` and loses the types.


def _in_own_thread(work: Callable[[], T]) -> Future[T]:
    """Run `work` in a daemon thread: the threads of an executor would be joined at exit."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - a keyring's backend may raise anything
            future.set_exception(_unavailable(error))

    threading.Thread(target=run, name="keyring", daemon=True).start()
    return future


def _unavailable(error: Exception) -> SecretUnavailable:
    """Names the kind of error only: its text may be anything, even the secret."""
    kind = type(error).__name__
    message = sentence("The system's keyring can't be used ({kind}).", kind=kind)
    unavailable = SecretUnavailable(message, _WITHOUT_KEYRING)
    unavailable.__cause__ = error
    return unavailable
