"""Commands about servers."""

from __future__ import annotations

from router.api.router import RouterPort
from router.config.server import ServerConfig
from router.control import views
from router.control.asking import Command, server_of, status_of, validated, workspace_of
from router.domain.errors import NotFound
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject
from router.domain.permissions import chooses_code


def server_config(entry: object) -> ServerConfig:
    """A server's configuration from JSON, or `InvalidInput` with the first thing wrong with it."""
    return validated(ServerConfig, entry)


async def _add(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, arguments)
    config = server_config(arguments["config"])
    server = await router.servers.add(workspace, str(arguments["name"]), config, consent=True)
    ref = ServerRef(workspace, server)
    warnings = [*_pointed_out(config), *router.servers.secret_warnings(ref)]
    return {**status_of(router, ref), "warnings": warnings}


def _pointed_out(config: ServerConfig) -> list[str]:
    """Variables by which a server is given another program than the one its command names."""
    names = ", ".join(name for name in config.env if chooses_code(name))
    return [f"{names}: decides which programs are loaded. Be sure you want that."] if names else []


async def _remove(router: RouterPort, arguments: JsonObject) -> JsonObject:
    ref = server_of(router, arguments)
    gone = status_of(router, ref)
    await router.servers.remove(ref)
    return gone


async def _enable(router: RouterPort, arguments: JsonObject) -> JsonObject:
    ref = server_of(router, arguments)
    await router.servers.set_enabled(ref, True)
    return status_of(router, ref)


async def _disable(router: RouterPort, arguments: JsonObject) -> JsonObject:
    ref = server_of(router, arguments)
    await router.servers.set_enabled(ref, False)
    return status_of(router, ref)


async def _receipt(router: RouterPort, arguments: JsonObject) -> JsonObject:
    ref = server_of(router, arguments)
    if (found := router.discovery.receipt(ref)) is None:
        raise NotFound(
            f"{ref.server} has no receipt: its lists were not learnt in isolation yet.",
            f"Learn them with: toolbooth refresh {ref.server}",
        )
    return views.receipt(ref.server, found)


async def _sign_in(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """Where to sign in; `sign-in wait` waits for the end of it."""
    return views.sign_in(await router.sign_ins.begin(server_of(router, arguments)))


async def _sign_in_wait(router: RouterPort, arguments: JsonObject) -> JsonObject:
    ref = server_of(router, arguments)
    await router.sign_ins.ended(ref)
    return status_of(router, ref)


async def _sign_out(router: RouterPort, arguments: JsonObject) -> JsonObject:
    ref = server_of(router, arguments)
    await router.sign_ins.sign_out(ref)
    return status_of(router, ref)


async def _list(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    return [views.server(s) for s in router.servers.list(workspace_of(router, arguments))]


async def _refresh(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    workspace = workspace_of(router, arguments)
    only = server_of(router, arguments).server if arguments.get("server") else None
    if arguments.get("cancel"):
        await router.discovery.cancel(workspace, only)
    else:
        await router.discovery.refresh(workspace, only, packages=bool(arguments.get("packages")))
    statuses = [s for s in router.servers.list(workspace) if only in (None, s.id)]
    return [views.server(status) for status in statuses]


COMMANDS: dict[str, Command] = {
    "add": _add,
    "remove": _remove,
    "enable": _enable,
    "disable": _disable,
    "receipt": _receipt,
    "sign-in": _sign_in,
    "sign-in wait": _sign_in_wait,
    "sign-out": _sign_out,
    "list": _list,
    "refresh": _refresh,
}
