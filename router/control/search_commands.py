"""Commands about searching: what it has learned, and the cloud service."""

from __future__ import annotations

from router.control.asking import Command, ControlledRouter, project_of, workspace_of
from router.domain.json_values import JsonObject
from router.domain.search import Learned


async def _show(router: ControlledRouter, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, arguments)
    project = project_of(router, workspace, arguments)
    router.local_caller(workspace, project)
    on = router.settings().learn_from_use
    return {"learning": on, **_view(router.searches.learned(workspace, project))}


async def _clear(router: ControlledRouter, arguments: JsonObject) -> None:
    workspace = workspace_of(router, arguments)
    await router.searches.forget(workspace, project_of(router, workspace, arguments))


async def _switch_on(router: ControlledRouter, arguments: JsonObject) -> None:
    await _switch(router, on=True)


async def _switch_off(router: ControlledRouter, arguments: JsonObject) -> None:
    await _switch(router, on=False)


async def _switch(router: ControlledRouter, *, on: bool) -> None:
    await router.apply_settings(router.settings().model_copy(update={"learn_from_use": on}))


async def _cloud_set(router: ControlledRouter, arguments: JsonObject) -> None:
    await router.searches.set_cloud(str(arguments["url"]), arguments.get("token"))


async def _cloud_off(router: ControlledRouter, arguments: JsonObject) -> None:
    await router.searches.set_cloud("")


def _view(learned: Learned) -> JsonObject:
    return {
        "lessons": [
            {
                "words": list(lesson.words),
                "toolKey": lesson.tool,
                "count": round(lesson.count, 2),
                "at": lesson.at.isoformat(),
            }
            for lesson in reversed(learned.lessons)
        ],
        "misses": [
            {"words": list(miss.words), "at": miss.at.isoformat()}
            for miss in reversed(learned.misses)
        ],
    }


COMMANDS: dict[str, Command] = {
    "learning show": _show,
    "learning clear": _clear,
    "learning on": _switch_on,
    "learning off": _switch_off,
    "cloud set": _cloud_set,
    "cloud off": _cloud_off,
}
