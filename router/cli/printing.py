"""What the commands print for people: short lines, aligned, nothing that isn't known."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from router.cli.approval_printing import findings, list_notes, pending
from router.cli.boundary_printing import BOUNDARY_PRINTERS
from router.cli.tables import counted, moment, short, table
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.permissions import Permission
from router.domain.tool_lists import Approval

_NO_SERVERS = [
    "No servers yet. Add one with: toolbooth add NAME -- COMMAND ARGS...",
    "See what other applications have with: toolbooth client servers",
]
_LIST_THEM = "Have the missing lists learnt with: toolbooth refresh"


def print_human(command: str, result: Any) -> None:
    """Print the result of `command`; what has no form of its own is said in one word."""
    printer = _PRINTERS.get(command)
    if printer is None:
        print("Done.")
    else:
        for line in printer(result):
            print(line)


def _servers(result: Any) -> list[str]:
    servers: list[JsonObject] = result
    if not servers:
        return _NO_SERVERS
    lines = table(
        (s["id"], s["state"], _tool_count(s), s["transport"], s["target"]) for s in servers
    )
    notes = [line for s in servers for line in (*_trouble(s), *list_notes(s))]
    return [*lines, *notes, *([_LIST_THEM] if any(map(_waits_for_refresh, servers)) else [])]


def _waits_for_refresh(server: JsonObject) -> bool:
    """Nothing hinders it, and nobody has asked it yet."""
    return (server["toolCount"], server["state"], server["discovery"]) == (None, "idle", "never")


def _tool_count(server: JsonObject) -> str:
    count = server["toolCount"]
    if count is None:
        return "discovering" if server["discovery"] == "discovering" else "no list"
    return counted(count, "tool")


def _trouble(server: JsonObject) -> list[str]:
    failure = as_object(server.get("failure"))
    return [f"! {server['id']}: {failure['cause']} {failure['suggestion']}"] if failure else []


def _server(result: Any) -> list[str]:
    return _servers([result])


def _imported(result: Any) -> list[str]:
    return _servers(result["servers"])


def warnings_of(command: str, result: Any) -> list[str]:
    """What a person should know besides the result: sentences for stderr."""
    if command not in ("add", "import", "permission set"):
        return []
    told = as_object(result)
    return [*as_array(told.get("problems")), *as_array(told.get("warnings"))]


def print_sign_in(begun: JsonObject, *, as_json: bool) -> None:
    """Where to sign in, at once: the command goes on waiting."""
    if as_json:
        print(json.dumps({"event": "sign-in", **begun}), flush=True)
    else:
        print(f"Open this page and sign in:\n\n  {begun['authorizationUrl']}\n", flush=True)


def _receipt(result: Any) -> list[str]:
    receipt: JsonObject = result
    lines = [f"{receipt['server']}, {moment(receipt['at'])}", f"  {receipt['protection']['words']}"]
    lines += [f"  {reason}" for reason in receipt["protection"]["missing"]]
    if package := receipt["package"]:
        lines.append(f"  Package: {package['name']} {package['version']} ({package['integrity']})")
    if receipt["asWritten"]:
        lines.append(f"  {receipt['asWritten']}")
    for kind, title in (
        ("files", "Files it tried to open outside its home"),
        ("hosts", "Where it tried to connect"),
        ("programs", "Programs it started"),
    ):
        if receipt["watched"]:
            lines += [f"  {title}:", *(f"    {each}" for each in receipt[kind] or ["none"])]
    if receipt["leftOut"]:
        lines.append(f"  And {receipt['leftOut']} more.")
    return [*lines, *(f"  {words}" for words in receipt["unseen"])]


def _removed(result: Any) -> list[str]:
    return [f"Removed {result['name']}."]


def _tools(result: Any) -> list[str]:
    tools: list[JsonObject] = result
    if not tools:
        return ["No tools yet. See the servers with: toolbooth list"]
    lines = table(((t["toolKey"], _use(t), t["description"]) for t in tools), prose=True)
    unlisted = any(t["toolKey"].endswith("/*") and "(never)" in t["description"] for t in tools)
    return [*lines, *([_LIST_THEM] if unlisted else [])]


def _use(tool: JsonObject) -> str | None:
    """What keeps it from being used now, else its permission."""
    permission = tool.get("permission")
    waits = tool.get("approval") not in (None, Approval.APPROVED)
    return "waits" if waits and permission != Permission.DENY else permission


def _pins(result: Any) -> list[str]:
    pins: list[JsonObject] = result
    if not pins:
        return ["Nothing is pinned: clients find every tool by searching."]
    costs = (pin["contextTokens"] for pin in pins)
    said = ("not there now" if cost is None else counted(cost, "token") for cost in costs)
    return table(zip((pin["toolKey"] for pin in pins), said, strict=True))


def _hits(result: Any) -> list[str]:
    hits: list[JsonObject] = result
    if not hits:
        return ["No tool fits. See all of them with: toolbooth tools"]
    rows = ((f"{h['relevance']:.2f}", h["toolKey"], h["description"]) for h in hits)
    return table(rows, prose=True)


def _call(result: Any) -> list[str]:
    blocks = as_array(as_object(result).get("content"))
    texts = [_block(as_object(block)) for block in blocks]
    return texts or [json.dumps(result, ensure_ascii=False, indent=2)]


def _block(block: JsonObject) -> str:
    if block.get("type") == "text":
        return str(block.get("text"))
    return f"[{block.get('type')} {block.get('mimeType') or ''}]".replace(" ]", "]")


def _status(result: Any) -> list[str]:
    listener = as_object(result["listener"])
    running = f"Running at {listener['url']} (process {result['pid']})."
    first = running if listener.get("url") else listener.get("message") or "Not running."
    active = next((w["name"] for w in result["workspaces"] if w["active"]), None)
    others = [w["name"] for w in result["workspaces"] if not w["active"]]
    places = f"Workspace: {active}" + (f" (others: {', '.join(others)})" if others else "")
    rejected = [f"! {sentence}" for sentence in rejections(result["rejected"])]
    return [str(first), places, *rejected, *_servers(result["servers"])]


def rejections(files: list[JsonObject]) -> list[str]:
    """A sentence for each file that can't be used as it is."""
    lines = [f", line {file['line']}" if file["line"] else "" for file in files]
    return [
        f"{file['path']}{line}: {file['reason']}. The last good state stays until it is corrected."
        for file, line in zip(files, lines, strict=True)
    ]


def _clients(result: Any) -> list[str]:
    apps: list[JsonObject] = result
    return table((a["id"], a["state"], a["reason"] or a["path"]) for a in apps)


def _preview(result: Any) -> list[str]:
    return [str(result["path"]), *result["diff"], *_warned(result)]


def _connected(result: Any) -> list[str]:
    backup = f"Backup: {result['backup']}" if result["backup"] else "There was no file before."
    return [f"Connected {result['name']} in {result['path']}.", backup, *_warned(result)]


def _warned(result: Any) -> list[str]:
    return [f"! {result['warning']}"] if result["warning"] else []


def _disconnected(result: Any) -> list[str]:
    return [f"Disconnected {result['name']} in {result['path']}.", f"Backup: {result['backup']}"]


def _found_servers(result: Any) -> list[str]:
    servers: list[JsonObject] = result["servers"]
    lines = table((s["source"], s["name"], s["transport"], s["target"]) for s in servers)
    problems = [f"! {problem}" for problem in result["problems"]]
    return [*(lines or ["No servers were found in other applications."]), *problems]


def _scripts(result: Any) -> list[str]:
    scripts: list[JsonObject] = result
    if not scripts:
        return ["No scripts yet. Keep one with: toolbooth script add NAME FILE"]
    return table(((s["name"], _signature(s), s["description"]) for s in scripts), prose=True)


def _script(result: Any) -> list[str]:
    return _scripts([result])


def _signature(script: JsonObject) -> str:
    named = (f"{p['name']}{'' if p['required'] else '?'}" for p in script["parameters"])
    return f"({', '.join(named)})"


def _script_text(result: Any) -> list[str]:
    return [str(result["text"]).rstrip()]


def _learned(result: Any) -> list[str]:
    lessons: list[JsonObject] = result["lessons"]
    misses: list[JsonObject] = result["misses"]
    head = (
        [] if result["learning"] else ["Learning is off. Switch it on with: toolbooth learning on"]
    )
    if not lessons and not misses:
        return [*head, "Nothing was learned yet."]
    taught = [(" ".join(each["words"]), each["toolKey"], f"{each['count']:g}") for each in lessons]
    missed = [(" ".join(each["words"]), "nothing was run") for each in misses]
    return [*head, *table(taught), *table(missed)]


def _activity(result: Any) -> list[str]:
    entries: list[JsonObject] = result["entries"]
    if not entries:
        return ["Nothing was noted."]
    return table(
        (
            moment(e["at"]),
            e["client"],
            e["kind"],
            ":".join(filter(None, (e["server"], e["tool"]))) or short(e["detail"] or ""),
            f"{e['durationMs']:.0f} ms",
            f"{e['inputTokens']}/{e['contextTokens']} tokens",
            e["outcome"],
            short(e["message"] or ""),
        )
        for e in entries
    )


def _savings(result: Any) -> list[str]:
    clients: list[JsonObject] = result
    if not clients:
        return ["No client has listed tools yet."]
    head = ("client", "listings", "in full", "loaded", "searches", "scripts", "saved")
    rows = [
        (
            c["client"],
            c["listings"],
            c["fullTokens"],
            c["loadedTokens"],
            c["discoveryTokens"],
            c["scriptTokens"],
            c["savedTokens"],
        )
        for c in clients
    ]
    return table([head, *rows])


_PRINTERS: dict[str, Callable[[Any], list[str]]] = {
    **BOUNDARY_PRINTERS,
    "add": _server,
    "remove": _removed,
    "enable": _server,
    "disable": _server,
    "approve": _server,
    "pending": pending,
    "findings": findings,
    "receipt": _receipt,
    "sign-in": _server,
    "sign-out": _server,
    "import": _imported,
    "client list": _clients,
    "client preview": _preview,
    "client connect": _connected,
    "client disconnect": _disconnected,
    "client servers": _found_servers,
    "list": _servers,
    "refresh": _servers,
    "tools": _tools,
    "search": _hits,
    "pin": _pins,
    "unpin": _pins,
    "learning show": _learned,
    "call": _call,
    "status": _status,
    "activity": _activity,
    "savings": _savings,
    "script add": _script,
    "script list": _scripts,
    "script show": _script_text,
    "script run": _call,
}
