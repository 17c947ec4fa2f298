"""The commands about workspaces."""

from __future__ import annotations

from router.commands.command import NAME, NEW_NAME, WORKSPACE, Argument, Commands, Group, choice
from router.commands.context import Context
from router.commands.output import counted, json_fields, single, table
from router.domain.ids import WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.tool_lists import ApprovalPolicy
from router.domain.workspaces import WorkspaceSummary

COMMANDS = Commands([Group("workspace", "Manage workspaces.")])


def workspace_json(summary: WorkspaceSummary) -> JsonObject:
    return {
        **json_fields(summary, "id name"),
        "servers": summary.server_count,
        **json_fields(summary, "active approval"),
    }


def _json_of(context: Context, workspace: WorkspaceId) -> JsonObject:
    return next(workspace_json(w) for w in context.router.workspaces.list() if w.id == workspace)


def _lines(workspaces: list[JsonObject]) -> list[str]:
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


_one = single(_lines)


@COMMANDS.add("workspace new", "Create a workspace.", NAME, examples=["Work"], lines=_one)
async def create(context: Context) -> JsonObject:
    return _json_of(context, await context.router.workspaces.create(context.name))


@COMMANDS.add("workspace use", "Switch to a workspace.", NAME, examples=["Work"], lines=_one)
async def use(context: Context) -> JsonObject:
    workspace = context.workspace_named(context["name"])
    await context.router.workspaces.switch(workspace)
    return _json_of(context, workspace)


def _removed_lines(gone: JsonObject) -> list[str]:
    return [f"Removed {gone['name']}. Restore it with: toolbooth workspace restore {gone['id']}"]


@COMMANDS.add(
    "workspace remove",
    "Remove a workspace. It can be restored.",
    NAME,
    examples=["Work"],
    lines=_removed_lines,
)
async def remove(context: Context) -> JsonObject:
    workspace = context.workspace_named(context["name"])
    gone = _json_of(context, workspace)
    await context.router.workspaces.remove(workspace)
    return gone


@COMMANDS.add(
    "workspace restore",
    "Restore a removed workspace.",
    Argument("name", "ID", "ID of the removed workspace"),
    examples=["work"],
    lines=_one,
)
async def restore(context: Context) -> JsonObject:
    """By the id it had: a removed workspace has no name any more."""
    workspace = WorkspaceId(context.name)
    await context.router.workspaces.restore(workspace)
    return _json_of(context, workspace)


@COMMANDS.add(
    "workspace rename",
    "Rename a workspace.",
    NAME,
    NEW_NAME,
    examples=["Work 'Day job'"],
    lines=_one,
)
async def rename(context: Context) -> JsonObject:
    workspace = context.workspace_named(context["name"])
    await context.router.workspaces.rename(workspace, str(context["newName"]))
    return _json_of(context, workspace)


def _loosens_approval(context: Context) -> bool:
    strict = (ApprovalPolicy.TRUST, ApprovalPolicy.ASK_ON_CHANGE, ApprovalPolicy.ASK_ALWAYS)
    summaries = context.router.workspaces.list()
    current = next(each.approval for each in summaries if each.id == context.workspace)
    wanted = ApprovalPolicy(context["approval"])
    return strict.index(wanted) < strict.index(current)


@COMMANDS.add(
    "workspace set",
    "Change a workspace.",
    WORKSPACE,
    choice("--approval", ApprovalPolicy, "when tools need approval", required=True),
    examples=["--workspace Work --approval ask_always"],
    lines=_one,
    needs_person=_loosens_approval,
)
async def change(context: Context) -> JsonObject:
    """What is not named stays as it is."""
    workspace = context.workspace
    if policy := context.get("approval"):
        await context.router.tools.set_approval_policy(workspace, ApprovalPolicy(policy))
    return _json_of(context, workspace)


@COMMANDS.add("workspace list", "List workspaces.", lines=_lines)
async def list_workspaces(context: Context) -> list[JsonObject]:
    return [workspace_json(summary) for summary in context.router.workspaces.list()]
