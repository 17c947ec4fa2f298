"""A change of one server costs the same however many others there are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from router.api.events import ServerStatusChanged
from router.config.server import ServerConfig
from router.domain.ids import ServerId, ServerRef
from router.domain.servers import ServerState
from router.service import Router
from router.store import consents
from router.store.consent_key import FILE_NAME, ConsentKey
from tests.support.running_router import PERSONAL


def config(number: int) -> ServerConfig:
    return ServerConfig(command=sys.executable, args=(str(number),), disabled=True)


async def test_adding_a_server_looks_at_no_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = Router(tmp_path)
    await router.open()
    names = [f"s{number}" for number in range(20)]
    for number, name in enumerate(names):
        await router.servers.add(PERSONAL, name, config(number), consent=True)

    announced: set[ServerId] = set()
    looked_up: list[str] = []
    hashed: list[ServerConfig] = []
    resolved = consents.resolved_program
    dump = ServerConfig.model_dump

    def resolved_program(of: ServerConfig) -> str | None:
        looked_up.append(of.args[0])
        return resolved(of)

    def model_dump(self: ServerConfig, **options: object) -> dict[str, object]:
        if options.get("mode") != "json":  # which writes the file
            hashed.append(self)
        return dump(self, **options)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(consents, "resolved_program", resolved_program)
    monkeypatch.setattr(ServerConfig, "model_dump", model_dump)
    router.subscribe(
        lambda e: announced.add(e.status.id) if isinstance(e, ServerStatusChanged) else None
    )
    await router.servers.add(PERSONAL, "another", config(99), consent=True)
    assert announced == {ServerId("another")}
    assert set(looked_up) == {"99"}
    assert {each.args for each in hashed} == {("99",)}

    announced.clear()
    await router.servers.set_enabled(ServerRef(PERSONAL, ServerId("s7")), True)
    assert announced == {ServerId("s7")}
    await router.stop()


async def test_a_consent_withdrawn_elsewhere_is_noticed_with_the_next_change(
    tmp_path: Path,
) -> None:
    router = Router(tmp_path)
    await router.open()
    enabled = config(1).model_copy(update={"disabled": False})
    first = await router.servers.add(PERSONAL, "first", enabled, consent=True)
    states = {each.id: each.state for each in router.servers.list(PERSONAL)}
    assert states == {first: ServerState.IDLE}
    key = ConsentKey(tmp_path / FILE_NAME)
    consents.ConsentStore(tmp_path / "workspaces" / PERSONAL, key).forget(first)
    await router.servers.add(PERSONAL, "second", config(2), consent=True)
    states = {each.id: each.state for each in router.servers.list(PERSONAL)}
    assert states[first] is ServerState.NEEDS_CONSENT
    await router.stop()
