"""Secrets are in the keyring or in memory, never in a file, and are named but never shown."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.errors import InitError, PasswordDeleteError

from router.domain.errors import SecretUnavailable, UpstreamFailed
from router.domain.failures import FailureKind
from router.store.secrets import (
    KeyringSecrets,
    LayeredSecrets,
    SecretStore,
    looks_secret,
    resolve,
)
from tests.support.fakes import FakeSecrets
from tests.support.timeouts import WAIT_S


class MemoryKeyring(KeyringBackend):
    """A keyring that works, and records on which threads it was called. It claims no priority, so
    that keyring never picks it by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[tuple[str, str], str] = {}
        self.threads: set[int] = set()

    def get_password(self, service: str, username: str) -> str | None:
        self.threads.add(threading.get_ident())
        return self.values.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.threads.add(threading.get_ident())
        self.values[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.values.pop((service, username), None) is None:
            raise PasswordDeleteError("No such password!")


class UninitialisedKeyring(MemoryKeyring):
    """Like the Secret Service without a display."""

    def get_password(self, service: str, username: str) -> str | None:
        raise InitError("Failed to create the collection: Prompt dismissed..")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise InitError(f"could not store {password}")


class LockedKeyring(MemoryKeyring):
    """Waits for a user who never comes, until the test ends."""

    def __init__(self) -> None:
        super().__init__()
        self.unlocked = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.unlocked.wait(timeout=WAIT_S)
        return None


@pytest.fixture(autouse=True)
def _restore_system_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


@pytest.fixture
def backend() -> MemoryKeyring:
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    return backend


class TestKeyring:
    async def test_a_secret_is_stored_under_our_service_name_off_the_loops_thread(
        self, backend: MemoryKeyring
    ) -> None:
        secrets: SecretStore = KeyringSecrets()
        await secrets.set("GITHUB_TOKEN", "hunter2")
        assert backend.values == {("toolbooth", "GITHUB_TOKEN"): "hunter2"}
        assert await secrets.get("GITHUB_TOKEN") == "hunter2"
        assert threading.get_ident() not in backend.threads

    async def test_a_missing_secret_is_named(self, backend: MemoryKeyring) -> None:
        with pytest.raises(SecretUnavailable, match="no secret named GITHUB_TOKEN"):
            await KeyringSecrets().get("GITHUB_TOKEN")

    async def test_deleting_a_secret_is_idempotent(self, backend: MemoryKeyring) -> None:
        secrets = KeyringSecrets()
        await secrets.set("GITHUB_TOKEN", "hunter2")
        await secrets.delete("GITHUB_TOKEN")
        await secrets.delete("GITHUB_TOKEN")
        assert backend.values == {}

    @pytest.mark.parametrize("kind", [fail.Keyring, null.Keyring, UninitialisedKeyring])
    async def test_without_a_usable_keyring_the_error_has_a_hint_and_no_secret(
        self, kind: type[KeyringBackend]
    ) -> None:
        keyring.set_keyring(kind())
        with pytest.raises(SecretUnavailable) as reading:
            await KeyringSecrets().get("GITHUB_TOKEN")
        with pytest.raises(SecretUnavailable) as writing:
            await KeyringSecrets().set("GITHUB_TOKEN", "hunter2")
        for error in (reading.value, writing.value):
            assert "keyring can't be used" in error.message
            assert "${env:NAME}" in error.hint
            assert "hunter2" not in f"{error.message} {error.hint}"

    async def test_a_locked_keyring_is_not_waited_for_forever(self) -> None:
        locked = LockedKeyring()
        keyring.set_keyring(locked)
        try:
            with pytest.raises(SecretUnavailable, match=r"within 0\.05 seconds") as caught:
                await KeyringSecrets(timeout_s=0.05).get("GITHUB_TOKEN")
            assert "Unlock it" in caught.value.hint
        finally:
            locked.unlocked.set()


class TestLayers:
    async def test_a_working_keyring_keeps_the_secret(self, backend: MemoryKeyring) -> None:
        secrets = LayeredSecrets(KeyringSecrets())
        await secrets.set("GITHUB_TOKEN", "hunter2")
        assert secrets.persisted("GITHUB_TOKEN")
        assert await secrets.get("GITHUB_TOKEN") == "hunter2"

    async def test_without_a_keyring_the_secret_is_kept_for_this_session(self) -> None:
        keyring.set_keyring(fail.Keyring())
        secrets = LayeredSecrets(KeyringSecrets())
        await secrets.set("GITHUB_TOKEN", "hunter2")
        assert not secrets.persisted("GITHUB_TOKEN")
        assert await secrets.get("GITHUB_TOKEN") == "hunter2"
        await secrets.delete("GITHUB_TOKEN")
        with pytest.raises(SecretUnavailable):
            await secrets.get("GITHUB_TOKEN")

    async def test_a_keyring_that_becomes_available_is_used_again(self) -> None:
        keyring.set_keyring(fail.Keyring())
        secrets = LayeredSecrets(KeyringSecrets())
        await secrets.set("GITHUB_TOKEN", "old")
        keyring.set_keyring(MemoryKeyring())
        await secrets.set("GITHUB_TOKEN", "new")
        assert secrets.persisted("GITHUB_TOKEN")
        assert await secrets.get("GITHUB_TOKEN") == "new"

    async def test_a_failed_deletion_is_not_reported_as_done(self) -> None:
        keyring.set_keyring(fail.Keyring())
        with pytest.raises(SecretUnavailable):
            await LayeredSecrets(KeyringSecrets()).delete("GITHUB_TOKEN")


class TestResolving:
    async def test_references_are_resolved_as_whole_values_and_inside_text(
        self, backend: MemoryKeyring
    ) -> None:
        await KeyringSecrets().set("GITHUB_TOKEN", "hunter2")
        values = {
            "TOKEN": "${keyring:GITHUB_TOKEN}",
            "Authorization": "Bearer ${keyring:GITHUB_TOKEN}",
            "URL": "https://${env:USER}:${keyring:GITHUB_TOKEN}@host",
            "PLAIN": "$HOME ${input:token} ${keyring}",
        }
        assert await resolve(values, KeyringSecrets(), {"USER": "me"}) == {
            "TOKEN": "hunter2",
            "Authorization": "Bearer hunter2",
            "URL": "https://me:hunter2@host",
            "PLAIN": "$HOME ${input:token} ${keyring}",
        }

    async def test_a_resolved_value_is_not_resolved_again(self) -> None:
        session = FakeSecrets()
        await session.set("A", "${env:HOME}")
        assert await resolve({"X": "${keyring:A}"}, session, {"HOME": "/me"}) == {
            "X": "${env:HOME}"
        }

    async def test_a_missing_variable_is_named_with_a_hint(self) -> None:
        with pytest.raises(UpstreamFailed) as caught:
            await resolve({"X": "${env:NOPE}"}, FakeSecrets(), {})
        failure = caught.value.failure
        assert (failure.kind, failure.subject) == (FailureKind.SECRET_MISSING, "NOPE")
        assert "environment variable NOPE" in failure.detail
        assert caught.value.message == "Secret NOPE is missing."

    async def test_a_secret_the_keyring_cannot_return_is_named_with_a_hint(self) -> None:
        keyring.set_keyring(fail.Keyring())
        with pytest.raises(UpstreamFailed) as caught:
            await resolve({"X": "${keyring:NOPE}"}, KeyringSecrets(), {})
        assert caught.value.failure.subject == "NOPE"
        assert "${env:NAME}" in caught.value.failure.detail


@pytest.mark.parametrize(
    "name",
    [
        *("GITHUB_TOKEN", "GITHUB_PERSONAL_ACCESS_TOKEN", "OPENAI_API_KEY", "apiKey", "APIKEY"),
        *("X-Api-Key", "AWS_SECRET_ACCESS_KEY", "CLIENT_SECRET", "DB_PASSWORD", "PGPASSWORD"),
        *("Authorization", "Proxy-Authorization", "Cookie", "X-Auth", "authToken", "DB_PWD"),
        *("GOOGLE_CREDENTIALS", "ACCESSTOKEN", "SSH_PASSPHRASE", "keys", "GITHUB_PAT"),
    ],
)
def test_names_that_usually_mean_a_secret(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        *("KEYBOARD", "KEYCLOAK_URL", "MONKEY", "TOKENIZERS_PARALLELISM", "MAX_TOKENS", "PWD"),
        *(
            "PATH",
            "HOME",
            "AUTHOR",
            "AUTH_URL",
            "SECRETARY",
            "OLDPWD",
            "Accept",
            "PATTERN",
            "",
            "_",
        ),
    ],
)
def test_names_that_usually_do_not_mean_a_secret(name: str) -> None:
    assert not looks_secret(name)
