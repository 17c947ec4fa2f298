"""Commands about tools: finding and running them."""

from __future__ import annotations

from router.api.router import RouterPort
from router.control import views
from router.control.asking import Command, project_of, server_of, workspace_of
from router.domain.errors import InvalidInput
from router.domain.failure_text import explain
from router.domain.ids import ServerId, WorkspaceId
from router.domain.json_values import JsonObject, as_object
from router.domain.names import parse_tool_key
from router.domain.result import Failed


async def _tools(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    workspace = workspace_of(router, arguments)
    only = server_of(router, arguments).server if arguments.get("server") else None
    rows: list[JsonObject] = []
    for status in router.servers.list(workspace):
        if only is not None and status.id != only:
            continue
        tools = [views.tool(tool) for tool in router.tools.list(status.ref)]
        rows += tools if status.tool_count is not None else [views.missing_list(status)]
    return rows


async def _search(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    workspace = workspace_of(router, arguments)
    caller = router.projects.local_principal(workspace, project_of(router, workspace, arguments))
    limit = int(arguments.get("limit") or router.settings.current().results_per_search)
    reply = await router.search.find(caller, arguments["queries"], limit)
    hits = [views.hit(found) for found in reply.hits]
    if hits and reply.note:
        hits[0]["explanation"] = f"{hits[0]['explanation']} ({reply.note})"
    return hits


async def _call(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, arguments)
    caller = router.projects.local_principal(workspace, project_of(router, workspace, arguments))
    key = parse_tool_key(str(arguments["toolKey"]))
    result = await router.tools.call(caller, key, as_object(arguments.get("arguments")))
    if isinstance(result, Failed):
        _check_on(router, workspace, key.server)
        in_terminal = result.hint.replace("tool_discovery", "“toolbooth search”")
        raise InvalidInput(result.message, in_terminal)
    return result.value


def _check_on(router: RouterPort, workspace: WorkspaceId, server: ServerId) -> None:
    """A client is not told that there is a server which is off; its person is."""
    for status in router.servers.list(workspace):
        if status.id == server and not status.enabled:
            advice = explain(status)
            raise InvalidInput(advice.cause, advice.suggestion)


COMMANDS: dict[str, Command] = {
    "tools": _tools,
    "search": _search,
    "call": _call,
}
