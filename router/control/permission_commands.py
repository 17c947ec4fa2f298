"""The commands about permissions: a tool's own, rules for many, and calls that wait for a yes."""

from __future__ import annotations

from router.config.workspace import PermissionRule
from router.control import views
from router.control.asking import Command, ControlledRouter, project_of, validated, workspace_of
from router.domain.errors import InvalidInput
from router.domain.ids import ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS, parse_tool_key
from router.domain.permissions import Answer, Permission, PermissionRequestId

_SEE_RULES = "See them with: toolbooth permission list"


async def _permission_set(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, arguments)
    key = parse_tool_key(str(arguments["toolKey"]))
    permission = Permission(arguments["permission"])
    await router.set_permission(
        workspace, key, permission, project_of(router, workspace, arguments)
    )
    return {
        "toolKey": str(key),
        "permission": permission,
        "warnings": _doubts(router, workspace, key),
    }


def _doubts(router: ControlledRouter, workspace: WorkspaceId, key: ToolKey) -> list[str]:
    """A word on a tool that is not there yet is kept: it may come with the next list."""
    ref = ServerRef(workspace, key.server)
    tools = router.tools(ref) if key.server != SCRIPTS else ()
    if not tools or any(tool.key == key for tool in tools):
        return []
    return [f'{key.server} has no tool "{key.tool}" now; see: toolbooth tools {key.server}']


async def _permission_list(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """The words and rules of a place: a project, or the workspace."""
    workspace = workspace_of(router, arguments)
    project = project_of(router, workspace, arguments)
    words = router.permission_words(workspace, project)
    rules = router.permission_rules(workspace, project)
    return {
        "words": [{"toolKey": key, "permission": word} for key, word in sorted(words.items())],
        "rules": [rule.to_json() for rule in rules],
    }


async def _permission_rule(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    """Add a rule at the given place, the end if none is given; or take the one there away."""
    workspace = workspace_of(router, arguments)
    project = project_of(router, workspace, arguments)
    rules = list(router.permission_rules(workspace, project))
    place = int(arguments.get("place") or len(rules) + 1) - 1
    if arguments.get("remove"):
        if not 0 <= place < len(rules):
            raise InvalidInput(f"There is no rule {place + 1}.", _SEE_RULES)
        del rules[place]
    else:
        rules.insert(place, validated(PermissionRule, arguments["rule"]))
    await router.set_permission_rules(workspace, project, rules)
    return await _permission_list(router, arguments)


async def _permission_requests(router: ControlledRouter, _: JsonObject) -> list[JsonObject]:
    return [views.permission_request(each) for each in router.permission_requests()]


async def _permission_answer(router: ControlledRouter, arguments: JsonObject) -> None:
    await router.answer_permission(
        PermissionRequestId(str(arguments["ask"])), Answer(arguments["answer"])
    )


COMMANDS: dict[str, Command] = {
    "permission set": _permission_set,
    "permission list": _permission_list,
    "permission rule": _permission_rule,
    "permission asks": _permission_requests,
    "permission answer": _permission_answer,
}
