"""The commands a terminal can give: names and JSON in, JSON out.

The same table serves a running instance, over the socket, and the CLI when none runs, on the files.
"""

from __future__ import annotations

from typing import Any

from router.api.router import RouterPort
from router.control import (
    activity_commands,
    approval_commands,
    client_commands,
    permission_commands,
    pin_commands,
    project_commands,
    script_commands,
    search_commands,
    server_commands,
    state_commands,
    tool_commands,
)
from router.control.asking import Command
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject

COMMANDS: dict[str, Command] = {
    **server_commands.COMMANDS,
    **approval_commands.COMMANDS,
    **client_commands.COMMANDS,
    **tool_commands.COMMANDS,
    **pin_commands.COMMANDS,
    **permission_commands.COMMANDS,
    **script_commands.COMMANDS,
    **search_commands.COMMANDS,
    **activity_commands.COMMANDS,
    **project_commands.COMMANDS,
    **state_commands.COMMANDS,
}


async def dispatch(router: RouterPort, name: str, arguments: JsonObject) -> Any:
    if (command := COMMANDS.get(name)) is None:
        raise InvalidInput(f'This instance knows no command "{name}".', "Restart Toolbooth.")
    return await command(router, arguments)
