"""Scripts in a whole router: saved in files, called by clients, each in its own scope."""

from __future__ import annotations

from pathlib import Path

import pytest

from router.api.events import WorkspacesChanged
from router.domain.errors import Conflict, InvalidInput, NotFound
from router.domain.ids import ProjectId, ServerId
from router.domain.workspaces import Exposure, Optimization
from router.runtime.tasks import spawn, stop
from tests.support.running_router import PERSONAL, Record, RunningRouter, save, stdio_config

GREET = """---Greet somebody twice.
---@param name string Whom.
local first, second = test.echo{text = arguments.name}, test.echo{text = arguments.name}
result(first:await().text .. second:await().text)
"""


async def progressive(running: RunningRouter, project: ProjectId | None = None) -> None:
    await running.router.projects.set_options(
        PERSONAL, project, optimization=Optimization.BM25, exposure=Exposure.PROGRESSIVE
    )


@pytest.mark.proves("PROG-1", "PROG-6")
async def test_a_client_runs_a_script_over_a_real_server(running: RunningRouter) -> None:
    await running.add("Test")
    await progressive(running)
    script = 'result(#test.echo{text = "héllo"}:await().text)'
    answer = await running.call("execute", {"script": script})
    assert answer["content"] == [{"type": "text", "text": "6"}]


@pytest.mark.proves("PROG-9")
async def test_each_client_sees_and_calls_its_own_servers(running: RunningRouter) -> None:
    await running.add("Test")
    await running.add("Other")
    tokens = {}
    for name in ("Test", "Other"):
        server = ServerId(name.lower())
        project = await running.router.projects.create(PERSONAL, f"Only {name}", [server])
        await progressive(running, project)
        tokens[name] = (await running.router.tokens.issue(name, PERSONAL, project)).secret
    for name, other in (("Test", "Other"), ("Other", "Test")):
        listed = await running.call("list-servers", {}, token=tokens[name])
        assert f"## {name} (" in listed["content"][0]["text"]
        assert f"## {other}" not in listed["content"][0]["text"]
        script = f'{other.lower()}.echo{{text = ""}}:await()'
        refused = await running.call("execute", {"script": script}, token=tokens[name])
        assert "a nil value" in refused["content"][0]["text"]


async def test_a_saved_script_is_found_run_and_removed(running: RunningRouter) -> None:
    await running.add("Test")
    scripts = running.router.scripts
    kept = await scripts.save(PERSONAL, "greet", GREET)
    assert kept.description == "Greet somebody twice."
    found = await running.call("tool_discovery", {"query": ["greet somebody"]})
    first = found["structuredContent"]["results"][0]
    assert (first["toolKey"], first["readiness"]) == ("scripts:greet", "ready")
    arguments = {"toolKey": "scripts:greet", "arguments": {"name": "Ada"}}
    answer = await running.call("tool_execute", arguments)
    assert answer["content"][0]["text"] == "AdaAda"
    await scripts.remove(PERSONAL, "greet")
    assert scripts.list(PERSONAL) == ()
    assert (await running.call("tool_execute", arguments))["isError"]


async def test_a_script_edited_in_its_file_is_noticed(
    running: RunningRouter, tmp_path: Path
) -> None:
    await running.router.scripts.save(PERSONAL, "greet", GREET)
    running.trace.clear()
    [path] = tmp_path.glob("workspaces/personal/scripts/*.lua")
    assert path.read_text() == GREET
    save(path, "---Say goodbye.\nresult(1)")
    await running.trace.until(WorkspacesChanged)
    [script] = running.router.scripts.list(PERSONAL)
    assert script.description == "Say goodbye."


async def test_a_script_is_renamed_and_never_replaces_another_by_accident(
    running: RunningRouter,
) -> None:
    scripts = running.router.scripts
    await scripts.save(PERSONAL, "greet", GREET)
    await scripts.save(PERSONAL, "hello", GREET, replacing="greet")
    assert [script.name for script in scripts.list(PERSONAL)] == ["hello"]
    await scripts.save(PERSONAL, "greet", GREET)
    with pytest.raises(Conflict):
        await scripts.save(PERSONAL, "greet", "result(1)", replacing="hello")
    with pytest.raises(InvalidInput):
        await scripts.save(PERSONAL, "../greet", GREET)
    with pytest.raises(NotFound):
        await scripts.remove(PERSONAL, "nobody")


@pytest.mark.proves("PROG-7")
async def test_an_endless_script_delays_no_other_call(running: RunningRouter) -> None:
    await running.add("Test")
    await progressive(running)
    endless = {"script": "('a'):rep(50000):find(('.-'):rep(30) .. 'b')"}
    stuck = spawn(running.call("execute", endless), name="an endless script")
    listed = await running.call("list-servers", {})
    assert "Test" in listed["content"][0]["text"]
    assert not stuck.done()
    await stop(stuck)
    await running.router.settings.update({"script_timeout_s": 1.0})
    answer = await running.call("execute", endless)
    assert "took longer than 1 s" in answer["content"][0]["text"]


async def test_a_client_that_disconnects_ends_its_script_and_its_calls(
    running: RunningRouter, tmp_path: Path
) -> None:
    record = Record(tmp_path)
    await running.add("Test", stdio_config("--record", str(record.path)))
    await progressive(running)
    waiting = spawn(
        running.call("execute", {"script": "test.slow{}:await()"}), name="a script that waits"
    )
    await record.until("slow")
    waiting.cancel()
    await record.until("notifications/cancelled")
    record.close()
