"""What the commands print for people: short lines, aligned, nothing that isn't known."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from router.cli.approval_printing import findings, list_notes, pending
from router.model import JsonObject, as_array, as_object


def print_human(command: str, result: Any) -> None:
    """Print the result of `command`; what has no form of its own is said in one word."""
    printer = _PRINTERS.get(command)
    if printer is None:
        print("Done.")
    else:
        for line in printer(result):
            print(line)


def _table(rows: Iterable[Sequence[object]]) -> list[str]:
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    ]


def _servers(result: Any) -> list[str]:
    servers: list[JsonObject] = result
    if not servers:
        return ["No servers yet. Add one with: toolbooth add NAME -- COMMAND ARGS..."]
    lines = _table(
        (s["id"], s["state"], _tool_count(s), s["transport"], s["target"]) for s in servers
    )
    return [*lines, *(line for s in servers for line in (*_trouble(s), *list_notes(s)))]


def _tool_count(server: JsonObject) -> str:
    count = server["toolCount"]
    if count is None:
        return "discovering" if server["discovery"] == "discovering" else "no list"
    return f"{count} tools"


def _trouble(server: JsonObject) -> list[str]:
    failure = as_object(server.get("failure"))
    return [f"! {server['id']}: {failure['cause']} {failure['suggestion']}"] if failure else []


def _server(result: Any) -> list[str]:
    return _servers([result])


def _imported(result: Any) -> list[str]:
    return _servers(result["servers"])


def warnings_of(command: str, result: Any) -> list[str]:
    """What a person should know besides the result: sentences for stderr."""
    if command not in ("add", "import"):
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
    lines = [f"{receipt['server']}, {receipt['at']}", f"  {receipt['protection']['words']}"]
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
    return _table((t["toolKey"], t.get("permission"), _short(t["description"])) for t in tools)


def _hits(result: Any) -> list[str]:
    hits: list[JsonObject] = result
    if not hits:
        return ["No tool fits."]
    return _table((f"{h['relevance']:.2f}", h["toolKey"], _short(h["description"])) for h in hits)


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


def _new_token(result: Any) -> list[str]:
    return [
        str(result["token"]),
        "This is shown only now. Send it as: Authorization: Bearer TOKEN",
    ]


def _tokens(result: Any) -> list[str]:
    tokens: list[JsonObject] = result
    if not tokens:
        return ["No tokens yet. Make one with: toolbooth token new NAME"]
    return _table(
        (
            t["id"],
            t["name"],
            t["workspace"] or "active workspace",
            t["project"] or "-",
            "all servers" if t["servers"] is None else ", ".join(t["servers"]),
            f"last used {t['lastUsedAt']}" if t["lastUsedAt"] else "never used",
            f"until {t['expiresAt']}" if t["expiresAt"] else "",
        )
        for t in tokens
    )


def _workspaces(result: Any) -> list[str]:
    workspaces: list[JsonObject] = result
    return _table(
        ("*" if w["active"] else "", w["id"], w["name"], f"{w['servers']} servers", w["approval"])
        for w in workspaces
    )


def _workspace(result: Any) -> list[str]:
    return _workspaces([result])


def _projects(result: Any) -> list[str]:
    projects: list[JsonObject] = result
    return _table(
        (
            p["id"] or "-",
            p["name"],
            p["optimization"] or "off",
            p["exposure"],
            "all servers" if p["servers"] is None else ", ".join(p["servers"]),
        )
        for p in projects
    )


def _project(result: Any) -> list[str]:
    return _projects([result])


def _permission(result: Any) -> list[str]:
    return [f"{result['toolKey']}: {result['permission']}"]


def _clients(result: Any) -> list[str]:
    apps: list[JsonObject] = result
    return _table((a["id"], a["state"], a["reason"] or a["path"]) for a in apps)


def _preview(result: Any) -> list[str]:
    return [str(result["path"]), *result["diff"]]


def _connected(result: Any) -> list[str]:
    backup = f"Backup: {result['backup']}" if result["backup"] else "There was no file before."
    return [f"Connected {result['name']} in {result['path']}.", backup]


def _disconnected(result: Any) -> list[str]:
    return [f"Disconnected {result['name']} in {result['path']}.", f"Backup: {result['backup']}"]


def _found_servers(result: Any) -> list[str]:
    servers: list[JsonObject] = result["servers"]
    lines = _table((s["source"], s["name"], s["transport"], s["target"]) for s in servers)
    problems = [f"! {problem}" for problem in result["problems"]]
    return [*(lines or ["No servers were found in other applications."]), *problems]


def _permissions(result: Any) -> list[str]:
    words = [(w["toolKey"], w["permission"]) for w in result["words"]]
    rules = [
        (f"rule {number}", rule["permission"], _rule(rule))
        for number, rule in enumerate(result["rules"], start=1)
    ]
    if not words and not rules:
        return ["Everything is allowed."]
    return [*_table(words), *_table(rules)]


def _rule(rule: JsonObject) -> str:
    conditions = {key: value for key, value in rule.items() if key != "permission"}
    return ", ".join(f"{key} {json.dumps(value)}" for key, value in conditions.items()) or "always"


def _asks(result: Any) -> list[str]:
    asks: list[JsonObject] = result
    if not asks:
        return ["No call waits for a yes."]
    return _table((a["id"], a["client"], a["toolKey"], f"until {a['until']}") for a in asks)


def _scripts(result: Any) -> list[str]:
    scripts: list[JsonObject] = result
    if not scripts:
        return ["No scripts yet. Keep one with: toolbooth script add NAME FILE"]
    return _table((s["name"], _signature(s), _short(s["description"])) for s in scripts)


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
    return [*head, *_table(taught), *_table(missed)]


def _activity(result: Any) -> list[str]:
    entries: list[JsonObject] = result["entries"]
    if not entries:
        return ["Nothing was noted."]
    return _table(
        (
            e["at"][:19].replace("T", " "),
            e["client"],
            e["kind"],
            ":".join(filter(None, (e["server"], e["tool"]))) or _short(e["detail"] or ""),
            f"{e['durationMs']:.0f} ms",
            f"{e['inputTokens']}/{e['contextTokens']} tokens",
            e["outcome"],
            _short(e["message"] or ""),
        )
        for e in entries
    )


def _savings(result: Any) -> list[str]:
    clients: list[JsonObject] = result
    head = ("client", "listings", "in full", "loaded", "searches", "saved")
    rows = [
        (
            c["client"],
            c["listings"],
            c["fullTokens"],
            c["loadedTokens"],
            c["discoveryTokens"],
            c["savedTokens"],
        )
        for c in clients
    ]
    return _table([head, *rows])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"


_PRINTERS: dict[str, Callable[[Any], list[str]]] = {
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
    "learning show": _learned,
    "call": _call,
    "status": _status,
    "token new": _new_token,
    "token list": _tokens,
    "workspace new": _workspace,
    "workspace use": _workspace,
    "workspace set": _workspace,
    "workspace list": _workspaces,
    "project new": _project,
    "project set": _project,
    "project list": _projects,
    "activity": _activity,
    "savings": _savings,
    "permission set": _permission,
    "permission list": _permissions,
    "permission rule": _permissions,
    "permission asks": _asks,
    "script add": _script,
    "script list": _scripts,
    "script show": _script_text,
    "script run": _call,
}
