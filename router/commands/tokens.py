"""The commands about clients' tokens."""

from __future__ import annotations

from datetime import timedelta

from router.commands.command import (
    NAME,
    PROJECT,
    SERVERS,
    WORKSPACE,
    Argument,
    Command,
    Group,
    seconds,
)
from router.commands.context import Context
from router.commands.output import iso_time, local_time, table
from router.domain.clients import TokenSummary
from router.domain.ids import TokenId
from router.domain.json_values import JsonObject


async def _new(context: Context) -> JsonObject:
    """Projects and servers belong to a workspace: a token that names one stays there."""
    scoped = any(context.get(each) for each in ("workspace", "project", "servers"))
    lifetime = context.get("lifetimeS")
    issued = await context.router.tokens.issue(
        context.name,
        context.workspace if scoped else None,
        context.project,
        servers=context.servers,
        lifetime=timedelta(seconds=float(lifetime)) if lifetime else None,
    )
    return {**_token_json(issued.summary), "token": issued.secret}


async def _list(context: Context) -> list[JsonObject]:
    return [_token_json(summary) for summary in context.router.tokens.list()]


async def _revoke(context: Context) -> None:
    await context.router.tokens.revoke(TokenId(str(context["token"])))


def _token_json(summary: TokenSummary) -> JsonObject:
    return {
        "id": summary.id,
        "name": summary.name,
        "workspace": summary.workspace,
        "project": summary.project,
        "servers": None if summary.servers is None else list(summary.servers),
        "createdAt": iso_time(summary.created_at),
        "expiresAt": iso_time(summary.expires_at),
        "lastUsedAt": iso_time(summary.last_used_at),
    }


def _new_lines(issued: JsonObject) -> list[str]:
    return [
        str(issued["token"]),
        "Save it now: it is not shown again. Clients send it as: Authorization: Bearer TOKEN",
    ]


def _token_lines(tokens: list[JsonObject]) -> list[str]:
    if not tokens:
        return ["No tokens yet. Create one with: toolbooth token new NAME"]
    return table(
        (
            t["id"],
            t["name"],
            t["workspace"] or "active workspace",
            t["project"] or "-",
            "all servers" if t["servers"] is None else ", ".join(t["servers"]),
            f"last used {local_time(t['lastUsedAt'])}" if t["lastUsedAt"] else "never used",
            f"until {local_time(t['expiresAt'])}" if t["expiresAt"] else "",
        )
        for t in tokens
    )


COMMANDS = (
    Group("token", "Manage client tokens."),
    Command(
        "token new",
        "Create a token. It is shown only once.",
        _new,
        (
            WORKSPACE,
            NAME,
            PROJECT,
            SERVERS,
            Argument(
                "--expires",
                type=seconds,
                dest="lifetime_s",
                metavar="TIME",
                help="lifetime, like 12h, 30d or 4w (default: until revoked)",
            ),
        ),
        ("Laptop", "CI --workspace Work --server files --expires 30d"),
        _new_lines,
    ),
    Command("token list", "List tokens.", _list, lines=_token_lines),
    Command(
        "token revoke",
        "Revoke a token.",
        _revoke,
        (Argument("token", metavar="ID", help="token ID; see: toolbooth token list"),),
        ("1a2b3c4d",),
    ),
)
