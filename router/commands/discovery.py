"""The commands about discovery: reading servers' tool lists, and what servers did meanwhile."""

from __future__ import annotations

from typing import Any

from router.commands.command import OPTIONAL_SERVER, SERVER, WORKSPACE, Command, flag
from router.commands.context import Context
from router.commands.output import iso_time, local_time
from router.commands.servers import protection_json, server_json, server_lines
from router.domain.errors import NotFound
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.servers import DiscoveryStatus

_FAILED = (DiscoveryStatus.FAILED, DiscoveryStatus.TIMEOUT)
_ATTEMPTS = {
    "files": "Files it tried to open outside its home",
    "hosts": "Hosts it tried to connect to",
    "programs": "Programs it started",
}


async def _refresh(context: Context) -> list[JsonObject]:
    workspace, only = context.workspace, context.only_server
    if context.get("cancel"):
        await context.router.discovery.cancel(workspace, only)
    else:
        await context.router.discovery.refresh(
            workspace, only, packages=bool(context.get("packages"))
        )
    return [server_json(s) for s in context.router.servers.list(workspace) if only in (None, s.id)]


def _any_failed(servers: Any) -> bool:
    return any(as_object(server).get("discovery") in _FAILED for server in as_array(servers))


async def _receipt(context: Context) -> JsonObject:
    ref = context.server
    if (found := context.router.discovery.receipt(ref)) is None:
        raise NotFound(
            f"{ref.server} has no receipt: its tools were not discovered in a sandbox yet.",
            f"Discover them with: toolbooth refresh {ref.server}",
        )
    package = found.package
    return {
        "server": ref.server,
        "at": iso_time(found.at),
        "protection": protection_json(found.protection),
        "watched": found.watched,
        "files": list(found.files),
        "hosts": list(found.hosts),
        "programs": list(found.programs),
        "leftOut": found.left_out,
        "unseen": list(found.unseen),
        "memoryMb": found.memory_mb,
        "asWritten": str(found.as_written) if found.as_written else None,
        "package": package
        and {
            "source": package.source,
            "name": package.name,
            "version": package.version,
            "integrity": package.integrity,
            "fetchedAt": iso_time(package.fetched_at),
        },
    }


def _receipt_lines(receipt: JsonObject) -> list[str]:
    protection = receipt["protection"]
    lines = [protection["words"], *protection["missing"]]
    if package := receipt["package"]:
        lines.append(f"Package: {package['name']} {package['version']} ({package['integrity']})")
    if receipt["asWritten"]:
        lines.append(receipt["asWritten"])
    for kind, title in _ATTEMPTS.items() if receipt["watched"] else ():
        lines += [f"{title}:", *(f"  {each}" for each in receipt[kind] or ["none"])]
    if receipt["leftOut"]:
        lines.append(f"And {receipt['leftOut']} more.")
    head = f"{receipt['server']}, {local_time(receipt['at'])}"
    return [head, *(f"  {line}" for line in (*lines, *receipt["unseen"]))]


COMMANDS = (
    Command(
        "refresh",
        "Discover the tools of servers again.",
        _refresh,
        (
            WORKSPACE,
            OPTIONAL_SERVER,
            flag("--packages", "download npm and PyPI packages again"),
            flag("--cancel", "cancel the refreshes in progress"),
        ),
        ("", "files --packages"),
        server_lines,
        failed=_any_failed,
    ),
    Command(
        "receipt",
        "Show what a server tried to access during discovery.",
        _receipt,
        (WORKSPACE, SERVER),
        ("files",),
        _receipt_lines,
    ),
)
