"""Which of the servers found in other applications to import. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gui.text.tr import tr
from router.api.apps import FoundServer
from router.config.server import ServerConfig
from router.domain.servers import TransportType


@dataclass(frozen=True, slots=True)
class Choice:
    found: FoundServer
    ticked: bool
    note: str = ""


def import_choices(
    found: Iterable[FoundServer], known: Iterable[ServerConfig]
) -> tuple[Choice, ...]:
    """Each server is ticked once, and not if it was added already."""
    here = {_same(config) for config in known}
    seen: dict[object, str] = {}
    choices: list[Choice] = []
    for server in found:
        subject = _same(server.config)
        if subject in here:
            choices.append(Choice(server, False, tr("Already added")))
        elif subject in seen:
            note = tr("Same as in {app}").format(app=seen[subject])
            choices.append(Choice(server, False, note))
        else:
            seen[subject] = server.source
            choices.append(Choice(server, True))
    return tuple(choices)


def detail(found: FoundServer) -> str:
    kind = "HTTP" if found.config.transport is TransportType.HTTP else "stdio"
    return f"{found.source} · {kind} · {found.config.target}"


def _same(config: ServerConfig) -> object:
    """Equal for entries of the same server, even if their names and secrets differ."""
    return config.url or (config.command, config.args)
