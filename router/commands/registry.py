"""All commands, and their handlers: names and JSON in, JSON out.

The same handlers run in a running instance, which receives them over its socket, and in the
terminal's own process if there is none.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from router.commands import (
    activity,
    approvals,
    apps,
    discovery,
    permissions,
    projects,
    scripts,
    search,
    servers,
    status,
    tokens,
    tools,
    workspaces,
)
from router.commands.command import (
    CONFIRMED,
    NEEDS_CONFIRMATION,
    Command,
    Group,
    Handler,
)
from router.commands.context import Context
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject, as_array

if TYPE_CHECKING:
    from router.api.router import RouterPort

DECLARED: tuple[Command | Group, ...] = (
    *servers.COMMANDS,
    *discovery.COMMANDS,
    *approvals.COMMANDS,
    *tools.COMMANDS,
    *permissions.COMMANDS,
    *scripts.COMMANDS,
    *search.COMMANDS,
    *apps.COMMANDS,
    *status.COMMANDS,
    *tokens.COMMANDS,
    *workspaces.COMMANDS,
    *projects.COMMANDS,
    *activity.COMMANDS,
)
"""In the order of `toolbooth --help`."""


async def _open_window(context: Context) -> JsonObject:
    """Sent by a second start of the window; `opened` is false if this instance has no window."""
    words = [str(word) for word in as_array(context.get("words"))]
    return {"opened": context.router.request_window(words)}


COMMANDS = {each.name: each for each in DECLARED if isinstance(each, Command)}
_HANDLERS: dict[str, Handler] = {
    **{name: command.handler for name, command in COMMANDS.items() if command.handler},
    **servers.HANDLERS,
    **tools.HANDLERS,
    "window open": _open_window,
}


async def dispatch(router: RouterPort, name: str, arguments: JsonObject) -> Any:
    if (handler := _HANDLERS.get(name)) is None:
        raise InvalidInput(
            f'The running instance does not know the command "{name}".', "Restart Toolbooth."
        )
    given = {key: value for key, value in arguments.items() if key != CONFIRMED}
    context = Context(router, given)
    if _needs_person(context, name):
        text = _shown(name, given)
        if not arguments.get(CONFIRMED):
            in_window = router.confirmations.in_window
            return {NEEDS_CONFIRMATION: {"command": text, "inWindow": in_window}}
        if router.confirmations.in_window:
            await router.confirmations.confirm(text)
    return await handler(context)


def _needs_person(context: Context, name: str) -> bool:
    command = COMMANDS.get(name)
    if command is None or command.needs_person is None:
        return False
    return context.router.settings.current().confirm_commands and command.needs_person(context)


def _shown(name: str, arguments: JsonObject) -> str:
    """A command with its arguments, for the person who confirms it."""
    given = {key: value for key, value in arguments.items() if value not in (None, [], {}, "")}
    words = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in given.items())
    return "\n".join((f"toolbooth {name}", *words))
