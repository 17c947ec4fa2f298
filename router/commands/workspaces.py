"""The commands about workspaces."""

from __future__ import annotations

from router.commands.command import WORKSPACE, Argument, Command, Group
from router.commands.context import Context
from router.commands.output import counted, single, table
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import WorkspaceSummary

_NAME = Argument("name")


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


def _removed_lines(gone: JsonObject) -> list[str]:
    back = f"toolbooth workspace restore {gone['id']}"
    return [f"Removed {gone['name']}. Bring it back with: {back}"]


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
    Command(
        "workspace new", "Create a workspace.", _new, (_NAME,), ("Work",), single(_workspace_lines)
    ),
    Command(
        "workspace use",
        "Make a workspace the active one.",
        _use,
        (_NAME,),
        ("Work",),
        single(_workspace_lines),
    ),
    Command(
        "workspace remove",
        "Remove a workspace. It can be restored.",
        _remove,
        (_NAME,),
        ("Work",),
        _removed_lines,
    ),
    Command(
        "workspace restore",
        "Restore a removed workspace.",
        _restore,
        (_NAME,),
        ("work",),
        single(_workspace_lines),
    ),
    Command(
        "workspace rename",
        "Rename a workspace.",
        _rename,
        (_NAME, Argument("new_name", metavar="NEW")),
        ("Work 'Day job'",),
        single(_workspace_lines),
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
                help="when tools need your approval",
            ),
        ),
        ("--workspace Work --approval ask_always",),
        single(_workspace_lines),
    ),
    Command("workspace list", "List workspaces.", _list, lines=_workspace_lines),
)
