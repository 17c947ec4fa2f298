"""Keeping: secrets out of the files that are written, and a loop going whatever happens in it."""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from router.errors import SecretUnavailable
from router.settings import ServerConfig, secret_references
from router.store.secrets import LayeredSecrets, looks_secret

log = logging.getLogger(__name__)


@contextmanager
def outlived(what: str) -> Generator[None]:
    """The edge of a loop that must go on: whatever goes wrong in one step is logged there."""
    try:
        yield
    except Exception:
        log.exception("Failed to %s", what)


async def with_secrets_kept(
    config: ServerConfig, secrets: LayeredSecrets, prefix: str, *, must_last: bool
) -> ServerConfig:
    """The configuration with what looks secret replaced by a reference to the keyring.

    Without a keyring a secret lives as long as this process; where that is of no use (`must_last`)
    it is refused rather than written as plain text.
    """
    env = await _kept(config.env, secrets, prefix, must_last=must_last)
    headers = await _kept(config.headers, secrets, prefix, must_last=must_last)
    return config.model_copy(update={"env": env, "headers": headers})


async def _kept(
    values: Mapping[str, str], secrets: LayeredSecrets, prefix: str, *, must_last: bool
) -> dict[str, str]:
    kept = dict(values)
    for key, value in values.items():
        if value and looks_secret(key) and not secret_references(value):
            name = f"{prefix}/{key}"
            await secrets.set(name, value)
            if not secrets.persisted(name):
                _not_lasting(key, must_last=must_last)
            kept[key] = f"${{keyring:{name}}}"
    return kept


def _not_lasting(key: str, *, must_last: bool) -> None:
    if must_last:
        raise SecretUnavailable(
            f"There is no keyring to keep {key} in, and it is not written as plain text.",
            "Put it into an environment variable and refer to it as ${env:NAME}.",
        )
    log.warning("There is no keyring: %s is kept for this session only", key)
