"""The commands about clients' tokens."""

from __future__ import annotations

from datetime import timedelta

from router.commands.command import (
    NAME,
    PROJECT,
    SERVERS,
    WORKSPACE,
    Argument,
    Commands,
    Group,
    option,
    seconds,
)
from router.commands.context import Context
from router.commands.output import json_fields, local_time, table
from router.domain.clients import TokenSummary
from router.domain.ids import TokenId
from router.domain.json_values import JsonObject

COMMANDS = Commands([Group("token", "Manage client tokens.")])


def _token_json(summary: TokenSummary) -> JsonObject:
    names = "id name workspace project servers created_at expires_at last_used_at"
    return json_fields(summary, names)


def _new_lines(issued: JsonObject) -> list[str]:
    return [
        str(issued["token"]),
        "Save it now: it is not shown again. Clients send it as: Authorization: Bearer TOKEN",
    ]


@COMMANDS.add(
    "token new",
    "Create a token. It is shown only once.",
    WORKSPACE,
    NAME,
    PROJECT,
    SERVERS,
    option(
        "--expires",
        "TIME",
        "lifetime, like 12h, 30d or 4w (default: until revoked)",
        type=seconds,
        dest="lifetime_s",
    ),
    examples=["Laptop", "CI --workspace Work --server files --expires 30d"],
    lines=_new_lines,
)
async def new(context: Context) -> JsonObject:
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


@COMMANDS.add("token list", "List tokens.", lines=_token_lines)
async def list_tokens(context: Context) -> list[JsonObject]:
    return [_token_json(summary) for summary in context.router.tokens.list()]


@COMMANDS.add(
    "token revoke",
    "Revoke a token.",
    Argument("token", "ID", "token ID; see: toolbooth token list"),
    examples=["1a2b3c4d"],
)
async def revoke(context: Context) -> None:
    await context.router.tokens.revoke(TokenId(str(context["token"])))
