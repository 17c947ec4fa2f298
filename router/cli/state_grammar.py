"""The grammar of commands about what is running, tokens and workspaces."""

from __future__ import annotations

import argparse

from router.cli.words import Subparsers, command, given, group, nothing, place
from router.domain.json_values import JsonObject
from router.domain.tool_lists import ApprovalPolicy

_UNITS_S = {"h": 3600, "d": 86400, "w": 604800}


def add_state_commands(
    commands: Subparsers, common: argparse.ArgumentParser, scoped: argparse.ArgumentParser
) -> None:
    command(commands, "status", "Say what is running.", common, nothing)
    _add_token_commands(commands, common, scoped)
    _add_workspace_commands(commands, common, scoped)


def _add_token_commands(
    commands: Subparsers, common: argparse.ArgumentParser, scoped: argparse.ArgumentParser
) -> None:
    token = group(commands, "token", "Manage the tokens of clients.")
    new = command(token, "token new", "Make a token; it is shown once.", scoped, _token_arguments)
    new.add_argument("name")
    new.add_argument("--project", type=given, metavar="P")
    new.add_argument("--server", action="append", dest="servers", metavar="S", help="it may use")
    new.add_argument("--expires", type=lifetime, metavar="TIME", help="after 12h, 30d or 4w")
    command(token, "token list", "List the tokens.", common, nothing)
    revoke = command(token, "token revoke", "Revoke a token.", common, _revoked_token)
    revoke.add_argument("token", metavar="ID")


def _add_workspace_commands(
    commands: Subparsers, common: argparse.ArgumentParser, scoped: argparse.ArgumentParser
) -> None:
    workspace = group(commands, "workspace", "Manage workspaces.")
    for name, help_text in (
        ("new", "Make a workspace."),
        ("use", "Make it the active one."),
        ("remove", "Remove a workspace; it can be restored."),
        ("restore", "Bring back the workspace that was removed."),
    ):
        command(workspace, f"workspace {name}", help_text, common, _name).add_argument("name")
    rename = command(workspace, "workspace rename", "Give it another name.", common, _new_name)
    rename.add_argument("name")
    rename.add_argument("new_name", metavar="NEW")
    setting = command(workspace, "workspace set", "Change a workspace.", scoped, _approval)
    setting.add_argument(
        "--approval",
        choices=[str(policy) for policy in ApprovalPolicy],
        required=True,
        help="when you are asked about tools",
    )
    command(workspace, "workspace list", "List the workspaces.", common, nothing)


def _name(parsed: argparse.Namespace) -> JsonObject:
    return {"name": parsed.name}


def _new_name(parsed: argparse.Namespace) -> JsonObject:
    return {"name": parsed.name, "newName": parsed.new_name}


def _approval(parsed: argparse.Namespace) -> JsonObject:
    return {**place(parsed), "approval": parsed.approval}


def _token_arguments(parsed: argparse.Namespace) -> JsonObject:
    scope = {**place(parsed), "project": parsed.project, "servers": parsed.servers}
    return {**scope, "name": parsed.name, "lifetimeS": parsed.expires}


def _revoked_token(parsed: argparse.Namespace) -> JsonObject:
    return {"token": parsed.token}


def lifetime(text: str) -> float:
    """Seconds, from `12h`, `30d` or `4w`."""
    number, unit = text[:-1], text[-1:]
    if not (number.isascii() and number.isdigit() and unit in _UNITS_S and 0 < int(number) < 10**5):
        raise argparse.ArgumentTypeError(f'"{text}" is not a time like 12h, 30d or 4w')
    return int(number) * _UNITS_S[unit]
