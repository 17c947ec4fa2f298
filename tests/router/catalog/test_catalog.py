"""Views: which client sees which tools."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from router.catalog.catalog import WorkspaceCatalog
from router.catalog.instructions import MAX_INSTRUCTIONS_BYTES
from router.config.workspace import WorkspaceConfig
from router.discovery.vetting.preparation import prepare
from router.domain.errors import NotFound, UpstreamFailed
from router.domain.ids import ProjectId, ServerId, ToolKey
from router.domain.json_values import JsonObject
from router.domain.tool_lists import CachedListing, ServerListing
from router.search.provider import Provider

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FILES, WEB = ServerId("files"), ServerId("web")


def configuration(**more: object) -> WorkspaceConfig:
    servers: JsonObject = {"Files": {"command": "files"}, "Web": {"url": "http://localhost/mcp"}}
    return WorkspaceConfig.model_validate({"name": "Test", "mcpServers": servers, **more})


def filled(config: WorkspaceConfig) -> WorkspaceCatalog:
    catalog = WorkspaceCatalog(config, Provider())
    for server, names in ((FILES, ("write", "read")), (WEB, ("fetch",))):
        tools = tuple({"name": name, "description": f"{name} things"} for name in names)
        entry = catalog.servers[server]
        listing = CachedListing(prepare(ServerListing(tools)), entry.config.config_hash, NOW)
        catalog.set_listing(server, listing)
    return catalog


def keys(catalog: WorkspaceCatalog, project: str | None = None) -> list[str]:
    chosen = ProjectId(project) if project else None
    return [str(key) for key in catalog.view(chosen).tools]


@pytest.mark.proves("REG-5")
def test_tools_come_in_order_of_server_and_name() -> None:
    assert keys(filled(configuration())) == ["files:read", "files:write", "web:fetch"]


@pytest.mark.proves("META-5", "REG-6")
def test_tools_of_a_disabled_server_are_not_listed() -> None:
    servers = {"Files": {"command": "files", "disabled": True}, "Web": {"url": "http://x/mcp"}}
    assert keys(filled(configuration(mcpServers=servers))) == ["web:fetch"]


@pytest.mark.proves("META-5")
def test_a_project_sees_only_its_servers() -> None:
    config = configuration(projects={"p": {"name": "P", "servers": ["web"]}})
    assert keys(filled(config), "p") == ["web:fetch"]


@pytest.mark.proves("META-5")
def test_a_denied_tool_is_hidden_from_clients() -> None:
    catalog = filled(configuration(permissions={"files:write": "deny"}))
    assert "files:write" not in keys(catalog)
    with pytest.raises(NotFound):
        catalog.view(None).tool(ToolKey(FILES, "write"))


@pytest.mark.proves("META-5")
def test_a_projects_permission_overrides_the_workspaces() -> None:
    config = configuration(
        permissions={"files:write": "deny"},
        projects={"p": {"name": "P", "permissions": {"files:write": "allow", "web:fetch": "deny"}}},
    )
    catalog = filled(config)
    assert keys(catalog, "p") == ["files:read", "files:write"]
    assert "files:write" not in keys(catalog)


def test_a_server_not_discovered_yet_has_no_tools() -> None:
    view = WorkspaceCatalog(configuration(), Provider()).view(None)
    with pytest.raises(UpstreamFailed, match="not been discovered yet"):
        view.tool(ToolKey(FILES, "read"))


def test_an_unknown_project_is_an_error() -> None:
    with pytest.raises(NotFound):
        filled(configuration()).view(ProjectId("nobody"))


def test_a_changed_command_drops_the_list_and_a_changed_permission_keeps_it() -> None:
    catalog = filled(configuration())
    catalog.configure(configuration(permissions={"files:read": "deny"}))
    assert keys(catalog) == ["files:write", "web:fetch"]
    catalog.configure(configuration(mcpServers={"Files": {"command": "other"}}))
    assert keys(catalog) == []


@pytest.mark.proves("META-4")
def test_direct_listing_has_every_permitted_tool_under_its_exposed_name() -> None:
    listing = filled(configuration(permissions={"web:fetch": "deny"})).view(None).direct_listing
    assert [tool["name"] for tool in listing["tools"]] == ["files__read", "files__write"]
    assert listing["tools"][0]["description"] == "read things"


def test_instructions_are_deterministic_and_fit_two_kilobytes() -> None:
    servers = {f"Server number {n}": {"command": "x"} for n in range(200)}
    config = configuration(mcpServers=servers)
    first = WorkspaceCatalog(config, Provider()).view(None).instructions
    second = WorkspaceCatalog(config, Provider()).view(None).instructions
    assert first == second
    assert len(first.encode()) <= MAX_INSTRUCTIONS_BYTES
    assert first.endswith("more servers.")


@pytest.mark.parametrize("count", [10, 40, 80])
def test_instructions_name_every_server_while_there_is_room(count: int) -> None:
    servers = {f"Server {n}": {"command": "x"} for n in range(count)}
    catalog = WorkspaceCatalog(configuration(mcpServers=servers), Provider())
    info = {"description": "What this server is good for, told at some length. " * 3}
    for server in catalog.servers:
        listing = prepare(ServerListing((), server_info=info))
        catalog.set_listing(server, CachedListing(listing, "", NOW))
    text = catalog.view(None).instructions
    assert len(text.encode()) <= MAX_INSTRUCTIONS_BYTES
    assert not [n for n in range(count) if f"server_{n}" not in re.split(r"[^a-z0-9_]+", text)]


def test_instructions_have_one_line_per_server() -> None:
    lines = filled(configuration()).view(None).instructions.splitlines()[1:]
    assert lines == ["- files (2 tools): read, write", "- web (1 tool): fetch"]


def test_instructions_count_no_tools_that_are_not_known() -> None:
    catalog = WorkspaceCatalog(configuration(), Provider())
    listing = CachedListing(prepare(ServerListing(())), "", NOW)
    catalog.set_listing(WEB, listing)
    lines = catalog.view(None).instructions.splitlines()[1:]
    assert lines == ["- files (tools not known yet)", "- web (0 tools)"]
