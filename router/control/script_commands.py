"""Commands about the scripts that people keep."""

from __future__ import annotations

from router.api.router import RouterPort
from router.control.asking import Command, project_of, workspace_of
from router.domain.errors import InvalidInput
from router.domain.ids import ToolKey
from router.domain.json_values import JsonObject, as_object
from router.domain.names import SCRIPTS
from router.domain.result import Failed
from router.domain.scripts import SavedScript, ScriptTrial


async def _add(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace, name = workspace_of(router, arguments), str(arguments["name"])
    replacing = name if arguments.get("replace") else None
    text = str(arguments["text"])
    return _view(await router.scripts.save(workspace, name, text, replacing=replacing))


async def _list(router: RouterPort, arguments: JsonObject) -> list[JsonObject]:
    return [_view(script) for script in router.scripts.list(workspace_of(router, arguments))]


async def _show(router: RouterPort, arguments: JsonObject) -> JsonObject:
    script = router.scripts.get(workspace_of(router, arguments), str(arguments["name"]))
    return {**_view(script), "text": script.text}


async def _remove(router: RouterPort, arguments: JsonObject) -> None:
    await router.scripts.remove(workspace_of(router, arguments), str(arguments["name"]))


async def _run(router: RouterPort, arguments: JsonObject) -> JsonObject:
    """As a client would, or with `dry` without changing anything."""
    workspace, name = workspace_of(router, arguments), str(arguments["name"])
    script = router.scripts.get(workspace, name)
    given = as_object(arguments.get("arguments"))
    if arguments.get("dry"):
        return _trial(await router.scripts.try_out(workspace, script.text, given))
    caller = router.projects.local_principal(workspace, project_of(router, workspace, arguments))
    result = await router.tools.call(caller, ToolKey(SCRIPTS, name), given)
    if isinstance(result, Failed):
        raise InvalidInput(result.message, result.hint)
    return result.value


def _view(script: SavedScript) -> JsonObject:
    return {
        "name": script.name,
        "description": script.description,
        "parameters": [
            {"name": p.name, "type": p.type, "required": p.required, "description": p.description}
            for p in script.parameters
        ],
    }


def _trial(trial: ScriptTrial) -> JsonObject:
    calls = [
        f"{'called' if call.made else 'would call'} {call.key} {call.arguments}"
        for call in trial.calls
    ]
    ending = trial.problem or (trial.result if trial.result is not None else "No result.")
    texts = [*calls, *([trial.printed.rstrip()] if trial.printed else []), ending]
    answer: JsonObject = {"content": [{"type": "text", "text": text} for text in texts]}
    return {**answer, "isError": True} if trial.problem else answer


COMMANDS: dict[str, Command] = {
    "script add": _add,
    "script list": _list,
    "script show": _show,
    "script remove": _remove,
    "script run": _run,
}
