"""The commands about discovery: reading servers' tool lists, and what servers did meanwhile."""

from __future__ import annotations

from typing import Any

from router.commands.command import OPTIONAL_SERVER, SERVER, WORKSPACE, Commands, flag
from router.commands.context import Context
from router.commands.output import json_fields, local_time
from router.commands.servers import protection_json, server_json, server_lines
from router.domain.errors import NotFound
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.servers import DiscoveryStatus

COMMANDS = Commands()
_FAILED = (DiscoveryStatus.FAILED, DiscoveryStatus.TIMEOUT)
_ATTEMPTS = {
    "files": "Files it tried to open outside its home",
    "hosts": "Hosts it tried to connect to",
    "programs": "Programs it started",
}


def _any_failed(servers: Any) -> bool:
    return any(as_object(server).get("discovery") in _FAILED for server in as_array(servers))


@COMMANDS.add(
    "refresh",
    "Discover the tools of servers again.",
    WORKSPACE,
    OPTIONAL_SERVER,
    flag("--packages", "download npm and PyPI packages again"),
    flag("--cancel", "cancel the refreshes in progress"),
    examples=["", "files --packages"],
    lines=server_lines,
    failed=_any_failed,
)
async def refresh(context: Context) -> list[JsonObject]:
    discovery, workspace, only = context.router.discovery, context.workspace, context.only_server
    if context.get("cancel"):
        await discovery.cancel(workspace, only)
    else:
        await discovery.refresh(workspace, only, packages=bool(context.get("packages")))
    return [server_json(status) for status in context.listed_servers]


def _receipt_lines(receipt: JsonObject) -> list[str]:
    protection = receipt["protection"]
    lines = [protection["words"], *protection["missing"]]
    if package := receipt["package"]:
        size = f"{package['sizeBytes'] / 1_000_000:.0f} MB"
        named = f"{package['name']} {package['version']}, {size}"
        lines.append(f"Package: {named} ({package['integrity']})")
    if receipt["asWritten"]:
        lines.append(receipt["asWritten"])
    for kind, title in _ATTEMPTS.items() if receipt["watched"] else ():
        lines += [f"{title}:", *(f"  {each}" for each in receipt[kind] or ["none"])]
    if receipt["leftOut"]:
        lines.append(f"And {receipt['leftOut']} more.")
    head = f"{receipt['server']}, {local_time(receipt['at'])}"
    return [head, *(f"  {line}" for line in (*lines, *receipt["unseen"]))]


@COMMANDS.add(
    "receipt",
    "Show what a server tried to access during discovery.",
    WORKSPACE,
    SERVER,
    examples=["files"],
    lines=_receipt_lines,
)
async def receipt(context: Context) -> JsonObject:
    ref = context.server
    if (found := context.router.discovery.receipt(ref)) is None:
        raise NotFound(
            f"{ref.server} has no receipt: its tools were not discovered in a sandbox yet.",
            f"Discover them with: toolbooth refresh {ref.server}",
        )
    seen = "watched files hosts programs left_out unseen memory_mb as_written"
    package, about = found.package, "source name version integrity fetched_at size_bytes"
    return {
        "server": ref.server,
        "at": found.at.isoformat(),
        "protection": protection_json(found.protection),
        **json_fields(found, seen),
        "package": package and json_fields(package, about),
    }
