"""The grammar of commands about projects."""

from __future__ import annotations

import argparse

from router.cli.words import Subparsers, WrongUsage, command, group, place
from router.domain.json_values import JsonObject
from router.domain.workspaces import OFF, Exposure, Optimization

_OUTSIDE = "-"


def add_project_commands(commands: Subparsers, scoped: argparse.ArgumentParser) -> None:
    project = group(commands, "project", "Manage the projects of a workspace.")
    new = command(project, "project new", "Make a project.", scoped, _new)
    new.add_argument("name")
    _add_servers(new)
    setting = command(project, "project set", "Change a project.", scoped, _options)
    setting.add_argument("project", metavar="P", help='"-" for clients outside any project')
    setting.add_argument("--optimization", choices=[OFF, *(str(o) for o in Optimization)])
    setting.add_argument("--exposure", choices=[str(e) for e in Exposure])
    _add_servers(setting)
    setting.add_argument("--all-servers", action="store_true", help="of the workspace")
    rename = command(project, "project rename", "Give it another name.", scoped, _new_name)
    rename.add_argument("project", metavar="P")
    rename.add_argument("new_name", metavar="NEW")
    remove = command(project, "project remove", "Remove a project.", scoped, _named)
    remove.add_argument("project", metavar="P")
    command(project, "project list", "List the projects.", scoped, place)


def _add_servers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", action="append", dest="servers", metavar="S", help="it may use")


def _new(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "name": parsed.name, "servers": parsed.servers}


def _named(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "project": None if parsed.project == _OUTSIDE else parsed.project}


def _new_name(parsed: argparse.Namespace) -> JsonObject:
    return {**_named(parsed), "newName": parsed.new_name}


def _options(parsed: argparse.Namespace) -> JsonObject:
    chosen = {
        "optimization": parsed.optimization,
        "exposure": parsed.exposure,
        "servers": parsed.servers,
        "allServers": parsed.all_servers,
    }
    if not any(chosen.values()):
        raise WrongUsage("Say what to change.", "See: toolbooth project set --help")
    return {**_named(parsed), **chosen}
