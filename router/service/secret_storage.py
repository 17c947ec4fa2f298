"""Keeping: secrets out of the files that are written, the activity log, and a loop going whatever
happens in it."""

from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

from router.config.secret_detection import SecretConcern, should_be_kept
from router.config.secret_references import secret_references
from router.config.server import ServerConfig
from router.config.settings import Settings
from router.domain.activity import ActivityEntry
from router.domain.errors import SecretUnavailable, said
from router.domain.json_values import JsonObject
from router.store.activity_log import SqliteActivityLog
from router.store.redaction import Redactor
from router.store.secrets import LayeredSecrets

log = logging.getLogger(__name__)

_TRIAL = "trial"


@contextmanager
def outlived(what: str) -> Generator[None]:
    """The edge of a loop that must go on: whatever goes wrong in one step is logged there."""
    try:
        yield
    except Exception:
        log.exception("Failed to %s", what)


def open_activity(
    data_dir: Path, settings: Settings, clock: Callable[[], datetime]
) -> SqliteActivityLog:
    return SqliteActivityLog(
        data_dir / "activity.sqlite",
        keep_days=settings.activity_days,
        log_details=settings.log_arguments,
        max_mb=settings.activity_mb,
        clock=clock,
    )


async def without_secrets(
    config: ServerConfig, secrets: LayeredSecrets, prefix: str, *, must_last: bool
) -> ServerConfig:
    """`config` with references in place of what looks secret, as far as references can stand
    there: the password of an address becomes a header."""
    config = _without_password(config)

    async def kept(values: Mapping[str, str]) -> dict[str, str]:
        return await _keep_secrets(values, secrets, prefix, must_last=must_last)

    changes: JsonObject = {"env": await kept(config.env), "headers": await kept(config.headers)}
    if config.oauth is not None:
        secret = (await kept({"clientSecret": config.oauth.client_secret}))["clientSecret"]
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


def concerns_about(config: ServerConfig, secrets: LayeredSecrets) -> tuple[SecretConcern, ...]:
    """The secrets of a server that are not where they should be."""
    plain = dict.fromkeys(secret.place for secret in config.plain_secrets)
    values = [*config.env.values(), *config.headers.values()]
    if config.oauth is not None:
        values.append(config.oauth.client_secret)
    references = dict.fromkeys(each for value in values for each in secret_references(value))
    return (
        *(SecretConcern(place, plain=True) for place in plain),
        *(
            SecretConcern(secret.rpartition("/")[2], plain=False)
            for kind, secret in references
            if kind == "keyring" and not secrets.persisted(secret)
        ),
    )


def warning_about(name: str, config: ServerConfig, concern: SecretConcern) -> str:
    """A sentence for the person, about the server called `name`."""
    if not concern.plain:
        return f"There is no keyring: {concern.place} of {name} is kept only until Toolbooth stops."
    where = "an environment variable" if config.command else "a header"
    return (
        f"A secret ({concern.place}) of {name} stands in workspace.json as plain text. "
        f"Pass it as {where} with a reference instead."
    )


async def _keep_secrets(
    values: Mapping[str, str], secrets: LayeredSecrets, prefix: str, *, must_last: bool
) -> dict[str, str]:
    """`values` with what looks secret replaced by a reference to the keyring.

    Without a keyring a secret lives as long as this process; where that is of no use (`must_last`)
    it is refused rather than written as plain text.
    """
    kept = dict(values)
    for key, value in values.items():
        if should_be_kept(key, value):
            name = f"{prefix}/{key}"
            await secrets.set(name, value)
            if not secrets.persisted(name):
                _not_lasting(key, must_last=must_last)
            kept[key] = f"${{keyring:{name}}}"
    return kept


def redacted(entry: ActivityEntry, redactor: Redactor) -> ActivityEntry:
    """`entry` with no secret in the texts that came from clients and servers."""
    texts = {"message": entry.message, "detail": entry.detail, "tool": entry.tool}
    changes = {
        name: clean
        for name, text in texts.items()
        if text is not None and (clean := redactor.text(text)) != text
    }
    return replace(entry, **changes) if changes else entry


async def require_keyring(secrets: LayeredSecrets) -> None:
    """Refuse to go on without a keyring, where a secret would be lost as soon as we end."""
    await secrets.set(_TRIAL, _TRIAL)
    lasts = secrets.persisted(_TRIAL)
    await secrets.delete(_TRIAL)
    if not lasts:
        raise SecretUnavailable(
            "The sign-in can't be saved: no keyring is available, and plain text is not allowed.",
            "Sign in while Toolbooth is running. The sign-in lasts until it stops.",
        )


def _not_lasting(key: str, *, must_last: bool) -> None:
    if must_last:
        raise SecretUnavailable(
            said(
                "{key} can't be saved: no keyring is available, and plain text is not allowed.",
                key=key,
            ),
            "Put it in an environment variable and refer to it as ${env:NAME}.",
        )
    log.warning("There is no keyring: %s is kept for this session only", key)
