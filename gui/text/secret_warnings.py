"""Warnings about a server's secrets that are not in the keyring. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from gui.text.tr import tr
from router.config.secret_detection import UnsafeSecret
from router.domain.servers import TransportType


def plain_text(places: Sequence[str], transport: TransportType) -> tuple[str, str]:
    """Secrets are in plain text in our file, and what to do about it."""
    hint = (
        tr("Pass it as an environment variable instead. Those are stored in the keyring.")
        if transport is TransportType.STDIO
        else tr("Pass it as a header instead. Those are stored in the keyring.")
    )
    warning = tr("A secret is stored as plain text in workspace.json ({places})")
    return warning.format(places=", ".join(places)), hint


def unsafe_secrets_text(
    secrets: Sequence[UnsafeSecret], transport: TransportType
) -> tuple[str, str]:
    """The warning and a hint; plain text comes first."""
    plain = [secret.place for secret in secrets if secret.plain]
    if plain:
        return plain_text(plain, transport)
    names = ", ".join(secret.place for secret in secrets)
    return (
        tr("No keyring available: {names} is only kept until Toolbooth stops").format(names=names),
        tr("Set up a keyring (GNOME Keyring or KWallet), then save the server again."),
    )
