"""Commands about what a person approves: commands to run, tools as they are now, and the policy."""

from __future__ import annotations

from router.api.router import RouterPort
from router.control import views
from router.control.asking import Command, server_of, status_of, workspace_of
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.names import parse_tool_key
from router.domain.receipts import DiscoveryAccess
from router.domain.tool_lists import ApprovalPolicy


async def _approve(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """A server: its command, and all of its tools that wait. A tool key: that tool."""
    text = str(arguments["server"])
    if ":" in text:
        key = parse_tool_key(text)
        ref = router.servers.find(workspace_of(router, arguments), key.server)
        await router.tools.approve(ref, [key.tool])
    else:
        ref = server_of(router, arguments)
        await _approve_server(router, ref, arguments.get("access"))
    return status_of(router, ref)


async def _approve_server(router: RouterPort, ref: ServerRef, access: str | None) -> None:
    """Agree to its command and tools, or to what it may have while its lists are learnt."""
    if access is not None:
        await router.discovery.allow(ref, DiscoveryAccess(access))
        return
    await router.servers.approve(ref)
    await router.tools.approve(ref)


async def _pending(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    workspace = workspace_of(router, arguments)
    only = server_of(router, arguments).server if arguments.get("server") else None
    waiting = [tool for tool in router.tools.pending(workspace) if only in (None, tool.key.server)]
    return [views.pending_tool(tool) for tool in waiting]


async def _findings(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    workspace = workspace_of(router, arguments)
    only = server_of(router, arguments).server if arguments.get("server") else None
    servers = [s.id for s in router.servers.list(workspace) if only in (None, s.id)]
    return [
        {"toolKey": str(tool.key), **views.finding(finding)}
        for server in servers
        for tool in router.tools.list(ServerRef(workspace, server))
        for finding in tool.findings
    ]


async def _workspace_set(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """What is not named stays as it is."""
    workspace = workspace_of(router, arguments)
    if chosen := arguments.get("approval"):
        await router.tools.set_approval_policy(workspace, ApprovalPolicy(chosen))
    return next(views.workspace(w) for w in router.workspaces.list() if w.id == workspace)


COMMANDS: dict[str, Command] = {
    "approve": _approve,
    "pending": _pending,
    "findings": _findings,
    "workspace set": _workspace_set,
}
