"""The commands about search: its usage history, and the cloud service."""

from __future__ import annotations

import getpass
import os
import sys

from router.commands.command import (
    PROJECT,
    WORKSPACE,
    Argument,
    Commands,
    Group,
    UsageError,
    nonempty,
    option,
)
from router.commands.context import Context
from router.commands.output import json_fields, shown_key, table
from router.domain.json_values import JsonObject

COMMANDS = Commands([Group("learning", "Manage the usage history that improves search.")])


def _history_lines(result: JsonObject) -> list[str]:
    lessons: list[JsonObject] = result["lessons"]
    misses: list[JsonObject] = result["misses"]
    head = [] if result["learning"] else ["Learning is off. Turn it on with: toolbooth learning on"]
    if not lessons and not misses:
        return [*head, "No usage history yet."]
    used = [
        (" ".join(each["words"]), shown_key(each["toolKey"]), f"{each['count']:g}")
        for each in lessons
    ]
    abandoned = [(" ".join(each["words"]), "no tool called") for each in misses]
    return [*head, *table(used), *table(abandoned)]


@COMMANDS.add(
    "learning show",
    "Show the usage history and searches without a tool call.",
    WORKSPACE,
    PROJECT,
    lines=_history_lines,
)
async def show(context: Context) -> JsonObject:
    workspace, project = context.workspace, context.project
    context.router.projects.local_principal(workspace, project)  # refuses an unknown project
    history = context.router.search.usage_history(workspace, project)
    return {
        "learning": context.router.settings.current().learn_from_use,
        "lessons": [
            {
                "words": list(use.words),
                "toolKey": use.tool,
                "count": round(use.count, 2),
                "at": use.at.isoformat(),
            }
            for use in reversed(history.uses)
        ],
        "misses": [json_fields(search, "words at") for search in reversed(history.abandoned)],
    }


@COMMANDS.add(
    "learning clear", "Clear the usage history.", WORKSPACE, PROJECT, examples=["--project Site"]
)
async def clear(context: Context) -> None:
    await context.router.search.clear_usage_history(context.workspace, context.project)


@COMMANDS.add("learning on", "Turn on the usage history.")
async def turn_on(context: Context) -> None:
    await _switch(context, on=True)


@COMMANDS.add("learning off", "Turn off the usage history.")
async def turn_off(context: Context) -> None:
    await _switch(context, on=False)


async def _switch(context: Context, *, on: bool) -> None:
    await context.router.settings.update({"learn_from_use": on})


COMMANDS.append(Group("cloud", "Manage cloud search."))


def _cloud_request(given: JsonObject) -> JsonObject:
    """The token is never an argument, where every program could read it."""
    if variable := given["tokenEnv"]:
        token = os.environ.get(variable)
        if not token:
            raise UsageError(f"The variable {variable} is not set.")
    elif sys.stdin.isatty():
        token = getpass.getpass("Token for the service (empty for none): ")
    else:
        token = None
    return {"url": given["url"], "token": token or None}


@COMMANDS.add(
    "cloud set",
    "Set the address of the cloud search service.",
    Argument("url", "URL", type=nonempty),
    option("--token-env", "NAME", "environment variable with the token"),
    examples=["https://search.example.com --token-env SEARCH_TOKEN"],
    request=_cloud_request,
)
async def set_cloud(context: Context) -> None:
    await context.router.search.set_cloud(str(context["url"]), context.get("token"))


@COMMANDS.add("cloud off", "Turn off cloud search and delete its token.")
async def turn_cloud_off(context: Context) -> None:
    await context.router.search.set_cloud("")
