"""Commands about searching: what it has learned, and the cloud service."""

from __future__ import annotations

from router.api.router import RouterPort
from router.control.asking import Command, project_of, workspace_of
from router.domain.json_values import JsonObject
from router.domain.search import Learned


async def _show(router: RouterPort, arguments: JsonObject) -> JsonObject:
    workspace = workspace_of(router, arguments)
    project = project_of(router, workspace, arguments)
    router.projects.local_principal(workspace, project)
    on = router.settings.current().learn_from_use
    return {"learning": on, **_view(router.search.learned(workspace, project))}


async def _clear(router: RouterPort, arguments: JsonObject) -> None:
    workspace = workspace_of(router, arguments)
    await router.search.forget(workspace, project_of(router, workspace, arguments))


async def _switch_on(router: RouterPort, arguments: JsonObject) -> None:
    await _switch(router, on=True)


async def _switch_off(router: RouterPort, arguments: JsonObject) -> None:
    await _switch(router, on=False)


async def _switch(router: RouterPort, *, on: bool) -> None:
    await router.settings.apply(router.settings.current().model_copy(update={"learn_from_use": on}))


async def _cloud_set(router: RouterPort, arguments: JsonObject) -> None:
    await router.search.set_cloud(str(arguments["url"]), arguments.get("token"))


async def _cloud_off(router: RouterPort, arguments: JsonObject) -> None:
    await router.search.set_cloud("")


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
