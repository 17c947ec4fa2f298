"""Warnings about a server's secrets that are not in the keyring. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from gui.text.tr import tr
from router.config.secret_detection import SecretConcern
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


def concern_text(concerns: Sequence[SecretConcern], transport: TransportType) -> tuple[str, str]:
    """The warning and a hint; plain text comes first."""
    plain = [concern.place for concern in concerns if concern.plain]
    if plain:
        return plain_text(plain, transport)
    names = ", ".join(concern.place for concern in concerns)
    return (
        tr("No keyring available: {names} is only kept until Toolbooth stops").format(names=names),
        tr("Set one up (GNOME Keyring, KWallet), then save the server again."),
    )
