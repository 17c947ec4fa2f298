"""The commands about workspaces."""

from __future__ import annotations

from router.commands.command import NAME, NEW_NAME, WORKSPACE, Argument, Command, Group
from router.commands.context import Context
from router.commands.output import counted, single, table
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import WorkspaceSummary


def workspace_json(summary: WorkspaceSummary) -> JsonObject:
    return {
        "id": summary.id,
        "name": summary.name,
        "servers": summary.server_count,
        "active": summary.active,
        "approval": summary.approval,
    }


def _json_of(context: Context, workspace: WorkspaceId) -> JsonObject:
    return next(workspace_json(w) for w in context.router.workspaces.list() if w.id == workspace)


def _workspace_lines(workspaces: list[JsonObject]) -> list[str]:
    return table(
        (
            "*" if w["active"] else "",
            w["id"],
            w["name"],
            counted(w["servers"], "server"),
            w["approval"],
        )
        for w in workspaces
    )


_one_workspace = single(_workspace_lines)


def _removed_lines(gone: JsonObject) -> list[str]:
    return [f"Removed {gone['name']}. Restore it with: toolbooth workspace restore {gone['id']}"]


async def _new(context: Context) -> JsonObject:
    return _json_of(context, await context.router.workspaces.create(context.name))


async def _use(context: Context) -> JsonObject:
    workspace = context.workspace_named(context["name"])
    await context.router.workspaces.switch(workspace)
    return _json_of(context, workspace)


async def _rename(context: Context) -> JsonObject:
    workspace = context.workspace_named(context["name"])
    await context.router.workspaces.rename(workspace, str(context["newName"]))
    return _json_of(context, workspace)


async def _remove(context: Context) -> JsonObject:
    workspace = context.workspace_named(context["name"])
    gone = _json_of(context, workspace)
    await context.router.workspaces.remove(workspace)
    return gone


async def _restore(context: Context) -> JsonObject:
    """By the id it had: a removed workspace has no name any more."""
    workspace = WorkspaceId(context.name)
    await context.router.workspaces.restore(workspace)
    return _json_of(context, workspace)


async def _set(context: Context) -> JsonObject:
    """What is not named stays as it is."""
    workspace = context.workspace
    if policy := context.get("approval"):
        await context.router.tools.set_approval_policy(workspace, ApprovalPolicy(policy))
    return _json_of(context, workspace)


async def _list(context: Context) -> list[JsonObject]:
    return [workspace_json(summary) for summary in context.router.workspaces.list()]


COMMANDS = (
    Group("workspace", "Manage workspaces."),
    Command("workspace new", "Create a workspace.", _new, (NAME,), ("Work",), _one_workspace),
    Command("workspace use", "Switch to a workspace.", _use, (NAME,), ("Work",), _one_workspace),
    Command(
        "workspace remove",
        "Remove a workspace. It can be restored.",
        _remove,
        (NAME,),
        ("Work",),
        _removed_lines,
    ),
    Command(
        "workspace restore",
        "Restore a removed workspace.",
        _restore,
        (Argument("name", metavar="ID", help="ID of the removed workspace"),),
        ("work",),
        _one_workspace,
    ),
    Command(
        "workspace rename",
        "Rename a workspace.",
        _rename,
        (NAME, NEW_NAME),
        ("Work 'Day job'",),
        _one_workspace,
    ),
    Command(
        "workspace set",
        "Change a workspace.",
        _set,
        (
            WORKSPACE,
            Argument(
                "--approval",
                choices=[str(policy) for policy in ApprovalPolicy],
                required=True,
                help="when tools need approval",
            ),
        ),
        ("--workspace Work --approval ask_always",),
        _one_workspace,
    ),
    Command("workspace list", "List workspaces.", _list, lines=_workspace_lines),
)
