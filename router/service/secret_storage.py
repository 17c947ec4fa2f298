"""Secrets of servers: moved from the configuration into the keyring, and what is not in one."""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from router.config.secret_detection import UnsafeSecret, belongs_in_keyring
from router.config.secret_references import secret_references
from router.config.server import ServerConfig
from router.domain.errors import SecretUnavailable, sentence
from router.domain.json_values import JsonObject
from router.store.secrets import LayeredSecrets

log = logging.getLogger(__name__)

_TRIAL = "trial"


async def with_secrets_stored(
    config: ServerConfig, secrets: LayeredSecrets, prefix: str, *, must_last: bool
) -> ServerConfig:
    """Store what looks secret in the keyring; returns `config` with references in its place. A
    password in the URL becomes a header, which can hold a reference.

    Without a keyring a secret lives as long as this process. With `must_last` it is refused then,
    and never written as plain text.
    """
    config = _without_password(config)

    async def stored(values: Mapping[str, str]) -> dict[str, str]:
        result = dict(values)
        for key, value in values.items():
            if belongs_in_keyring(key, value):
                name = f"{prefix}/{key}"
                await secrets.set(name, value)
                if not secrets.persisted(name):
                    _not_persisted(key, must_last=must_last)
                result[key] = f"${{keyring:{name}}}"
        return result

    changes: JsonObject = {"env": await stored(config.env), "headers": await stored(config.headers)}
    if config.oauth is not None:
        secret = (await stored({"clientSecret": config.oauth.client_secret}))["clientSecret"]
        changes["oauth"] = config.oauth.model_copy(update={"client_secret": secret})
    return config.model_copy(update=changes)


def _without_password(config: ServerConfig) -> ServerConfig:
    parts = urlsplit(config.url or "")
    if not parts.password or any(name.lower() == "authorization" for name in config.headers):
        return config
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password)}"
    header = f"Basic {b64encode(pair.encode()).decode()}"
    address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return config.model_copy(
        update={"url": address, "headers": {**config.headers, "Authorization": header}}
    )


def unsafe_secrets(config: ServerConfig, secrets: LayeredSecrets) -> tuple[UnsafeSecret, ...]:
    """The secrets of a server that are not in a keyring."""
    plain = dict.fromkeys(secret.place for secret in config.plain_secrets)
    values = [*config.env.values(), *config.headers.values()]
    if config.oauth is not None:
        values.append(config.oauth.client_secret)
    references = dict.fromkeys(each for value in values for each in secret_references(value))
    return (
        *(UnsafeSecret(place, plain=True) for place in plain),
        *(
            UnsafeSecret(secret.rpartition("/")[2], plain=False)
            for kind, secret in references
            if kind == "keyring" and not secrets.persisted(secret)
        ),
    )


async def require_keyring(secrets: LayeredSecrets) -> None:
    """Raises `SecretUnavailable` without a keyring: secrets would end with this process."""
    await secrets.set(_TRIAL, _TRIAL)
    persisted = secrets.persisted(_TRIAL)
    await secrets.delete(_TRIAL)
    if not persisted:
        raise SecretUnavailable(
            "The sign-in can't be saved: no keyring is available, and plain text is not allowed.",
            "Sign in while Toolbooth is running. The sign-in lasts until it stops.",
        )


def _not_persisted(key: str, *, must_last: bool) -> None:
    if must_last:
        raise SecretUnavailable(
            sentence(
                "{key} can't be saved: no keyring is available, and plain text is not allowed.",
                key=key,
            ),
            "Put it in an environment variable and refer to it as ${env:NAME}.",
        )
    log.warning("There is no keyring: %s is kept for this session only", key)
