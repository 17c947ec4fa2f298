"""Commands about pins: tools that clients get beside the search, without looking for them."""

from __future__ import annotations

from router.api.router import RouterPort
from router.control.asking import Command, project_of, workspace_of
from router.domain.errors import InvalidInput, NotFound
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import parse_tool_key


async def _pin(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    workspace = workspace_of(router, arguments)
    for key in _keys(arguments):
        if _tokens(router, workspace, key) is None:
            raise InvalidInput(
                f'There is no tool "{key}".', "Find its key with: toolbooth search 'what it does'"
            )
    return await _put(router, arguments, [*_pinned(router, arguments), *_texts(arguments)])


async def _unpin(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    before, gone = _pinned(router, arguments), _texts(arguments)
    for text in gone:
        if text not in before:
            raise InvalidInput(f'"{text}" is not pinned.', "List the pins with: toolbooth pin")
    return await _put(router, arguments, [each for each in before if each not in gone])


async def _put(router: RouterPort, arguments: JsonObject, pinned: list[str]) -> list[JsonObject]:
    """Make these the pins, each once; says which there are then."""
    workspace = workspace_of(router, arguments)
    project = project_of(router, workspace, arguments)
    before = router.projects.config(workspace, project)
    distinct = tuple(dict.fromkeys(pinned))
    if distinct != before.pinned:
        after = before.model_copy(update={"pinned": distinct})
        await router.projects.put(workspace, project, after)
    return [
        {"toolKey": text, "contextTokens": _tokens(router, workspace, parse_tool_key(text))}
        for text in distinct
    ]


def _pinned(router: RouterPort, arguments: JsonObject) -> tuple[str, ...]:
    workspace = workspace_of(router, arguments)
    project = project_of(router, workspace, arguments)
    return router.projects.config(workspace, project).pinned


def _keys(arguments: JsonObject) -> list[ToolKey]:
    return [parse_tool_key(str(text)) for text in arguments["toolKeys"]]


def _texts(arguments: JsonObject) -> list[str]:
    return [str(key) for key in _keys(arguments)]


def _tokens(router: RouterPort, workspace: WorkspaceId, key: ToolKey) -> int | None:
    """What its definition costs in every conversation; None if there is no such tool."""
    try:
        tools = router.tools.list(ServerRef(workspace, key.server))
    except NotFound:
        return None
    return next((tool.context_tokens for tool in tools if tool.key == key), None)


COMMANDS: dict[str, Command] = {"pin": _pin, "unpin": _unpin}
