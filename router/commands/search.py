"""The commands about search: its usage history, and the cloud service."""

from __future__ import annotations

import getpass
import os
import sys
from functools import partial

from router.commands.command import (
    PROJECT,
    WORKSPACE,
    Argument,
    Command,
    Group,
    UsageError,
    nonempty,
)
from router.commands.context import Context
from router.commands.output import table
from router.domain.json_values import JsonObject

# learning


async def _show(context: Context) -> JsonObject:
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
        "misses": [
            {"words": list(search.words), "at": search.at.isoformat()}
            for search in reversed(history.abandoned)
        ],
    }


def _history_lines(result: JsonObject) -> list[str]:
    lessons: list[JsonObject] = result["lessons"]
    misses: list[JsonObject] = result["misses"]
    head = [] if result["learning"] else ["Learning is off. Turn it on with: toolbooth learning on"]
    if not lessons and not misses:
        return [*head, "No usage history yet."]
    used = [(" ".join(each["words"]), each["toolKey"], f"{each['count']:g}") for each in lessons]
    abandoned = [(" ".join(each["words"]), "no tool called") for each in misses]
    return [*head, *table(used), *table(abandoned)]


async def _clear(context: Context) -> None:
    await context.router.search.clear_usage_history(context.workspace, context.project)


async def _switch(context: Context, *, on: bool) -> None:
    settings = context.router.settings.current().model_copy(update={"learn_from_use": on})
    await context.router.settings.apply(settings)


# cloud


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


async def _cloud_set(context: Context) -> None:
    await context.router.search.set_cloud(str(context["url"]), context.get("token"))


async def _cloud_off(context: Context) -> None:
    await context.router.search.set_cloud("")


COMMANDS = (
    Group("learning", "Manage the usage history that improves search."),
    Command(
        "learning show",
        "Show the usage history and searches without a tool call.",
        _show,
        (WORKSPACE, PROJECT),
        ("",),
        _history_lines,
    ),
    Command(
        "learning clear",
        "Clear the usage history.",
        _clear,
        (WORKSPACE, PROJECT),
        ("--project Site",),
    ),
    Command("learning on", "Turn on the usage history.", partial(_switch, on=True)),
    Command("learning off", "Turn off the usage history.", partial(_switch, on=False)),
    Group("cloud", "Manage cloud search."),
    Command(
        "cloud set",
        "Set the address of the cloud search service.",
        _cloud_set,
        (
            Argument("url", type=nonempty, metavar="URL"),
            Argument(
                "--token-env",
                type=nonempty,
                metavar="NAME",
                help="environment variable with the token",
            ),
        ),
        ("https://search.example.com --token-env SEARCH_TOKEN",),
        request=_cloud_request,
    ),
    Command("cloud off", "Turn off cloud search and delete its token.", _cloud_off),
)
