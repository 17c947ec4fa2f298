"""Servers configured in other applications, converted to our format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from router.api.apps import FoundServer
from router.apps.config_reader import SelfReference, find_servers, read_any_file
from router.apps.locations import AppLocations
from router.apps.variables import with_answers
from router.domain.errors import ConfigError
from tests.router.apps.client_files import FILES

OURSELVES = SelfReference(frozenset({3717}))
ENVIRON = {"PATH": "", "SEARCH_KEY": "k"}


def places(home: Path, platform: str = "linux") -> AppLocations:
    return AppLocations(home, ENVIRON, platform)


def put_all(home: Path) -> None:
    for name, text in FILES.values():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(home: Path) -> dict[tuple[str, str], FoundServer]:
    put_all(home)
    findings = find_servers(places(home), OURSELVES)
    assert findings.problems == ()
    return {(each.source, each.name): each for each in findings.servers}


def test_the_servers_of_every_app_are_read(tmp_path: Path) -> None:
    servers = found(tmp_path)
    assert sorted(servers) == [
        ("Amp", "semgrep"),
        ("Antigravity", "b"),
        ("Claude Code", "db"),
        ("Claude Code", "github"),
        ("Claude Desktop", "filesystem"),
        ("Cline", "weather"),
        ("Codex", "docs"),
        ("Codex", "figma"),
        ("Continue", "remote"),
        ("Continue", "sqlite"),
        ("Copilot CLI", "playwright"),
        ("Cursor", "linear"),
        ("Gemini CLI", "search"),
        ("Goose", "fetch"),
        ("LM Studio", "c"),
        ("Qwen Code", "a"),
        ("VS Code", "perplexity"),
        ("VS Code Insiders", "perplexity"),
        ("Windsurf", "notion"),
        ("Zed", "old-style"),
        ("opencode", "everything"),
    ]
    zed = servers["Zed", "old-style"].config
    assert (zed.command, zed.args, zed.env) == ("node", ("server.js",), {"A": "1"})
    opencode = servers["opencode", "everything"].config
    assert opencode.args == ("-y", "@modelcontextprotocol/server-everything")
    assert opencode.disabled
    assert servers["Windsurf", "notion"].config.url == "https://notion.test/mcp"
    assert servers["Goose", "fetch"].config.command == "uvx"
    assert servers["Claude Code", "db"].config.cwd == "/home/me/shop"


def test_variables_become_references_or_their_values(tmp_path: Path) -> None:
    servers = found(tmp_path)
    github = servers["Claude Code", "github"].config
    assert github.headers == {"Authorization": "Bearer ${env:GITHUB_TOKEN}"}
    assert servers["Claude Code", "db"].config.args == ("postgres-mcp", "shop")
    assert servers["Cursor", "linear"].config.headers == {"X-Api-Key": "${env:LINEAR_KEY}"}
    assert servers["Gemini CLI", "search"].config.headers == {"X-Key": "${env:SEARCH_KEY}"}
    assert servers["opencode", "everything"].config.env == {"TOKEN": "${env:EVERYTHING_TOKEN}"}
    figma = servers["Codex", "figma"].config
    assert figma.headers == {"Authorization": "Bearer ${env:FIGMA_TOKEN}"}


def test_inputs_of_an_app_become_prompts_and_secrets(tmp_path: Path) -> None:
    perplexity = found(tmp_path)["VS Code", "perplexity"]
    assert [(p.id, p.secret, p.options) for p in perplexity.prompts] == [
        ("region", False, ("eu", "us")),
        ("perplexity-key", True, ()),
    ]
    assert perplexity.config.env == {"PERPLEXITY_API_KEY": "${keyring:input/vscode/perplexity-key}"}
    assert perplexity.config.args[-1] == "eu"


def test_plain_answers_go_into_the_arguments_and_secret_ones_never(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(
        """{"inputs": [{"id": "who"}, {"id": "key", "password": true}],
        "servers": {"s": {"command": "s", "args": ["${input:who}", "${input:key}"]}}}"""
    )
    (server,) = read_any_file(path, places(tmp_path), OURSELVES).servers
    config = with_answers(server, {"who": "me", "key": "planted"})
    assert config.args == ("me", "${input:key}")


def test_our_own_entries_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(
        """{"mcpServers": {
          "us": {"url": "http://localhost:3717/mcp"},
          "us before": {"url": "http://127.0.0.1:4000/mcp",
                        "headers": {"Authorization": "Bearer tbt_0a1b2c3d_planted"}},
          "bridge": {"command": "/opt/toolbooth", "args": ["connect", "--profile", "x"]},
          "other": {"url": "http://localhost:9000/mcp"}}}"""
    )
    assert [s.name for s in read_any_file(path, places(tmp_path), OURSELVES).servers] == ["other"]


def test_a_malformed_file_does_not_hide_the_others(tmp_path: Path) -> None:
    put_all(tmp_path)
    broken = tmp_path / ".cursor" / "mcp.json"
    broken.write_text('{\n"mcpServers": [')
    findings = find_servers(places(tmp_path), OURSELVES)
    assert len(findings.servers) == 20
    assert len(findings.problems) == 1
    assert f"{broken}, line 2" in findings.problems[0]


def test_invalid_entries_are_named_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(
        """{"mcpServers": {"good": {"command": "a"}, "odd": {"url": "ftp://x"},
        "us": {"url": "http://localhost:3717/mcp"}}}"""
    )
    findings = find_servers(places(tmp_path), OURSELVES)
    assert [server.name for server in findings.servers] == ["good"]
    assert [(each.source, each.sentence) for each in findings.skipped] == [
        ("Cursor", 'Skipped odd: "url" must start with http:// or https://.'),
        ("Cursor", "Skipped us: it is Toolbooth itself."),
    ]


@pytest.mark.parametrize("command", [{"path": "npx", "args": ["x"]}, ["npx", "x"]])
def test_the_key_cmd_is_read_in_every_format(command: object, tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"a": {"cmd": command}}}))
    [server] = read_any_file(path, places(tmp_path), OURSELVES).servers
    assert (server.config.command, server.config.args) == ("npx", ("x",))


def test_a_file_without_servers_is_refused_with_a_message(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    with pytest.raises(ConfigError, match="mcpServers"):
        read_any_file(path, places(tmp_path), OURSELVES)


@pytest.mark.parametrize(
    ("platform", "client", "place"),
    [
        ("darwin", "Claude Desktop", "Library/Application Support/Claude"),
        ("darwin", "VS Code", "Library/Application Support/Code/User"),
        ("win32", "Claude Desktop", "AppData/Local/Packages/Claude_x/LocalCache/Roaming/Claude"),
        ("win32", "Goose", "AppData/Roaming/Block/goose/config"),
        ("win32", "Zed", "AppData/Roaming/Zed"),
    ],
)
def test_files_are_searched_where_each_platform_has_them(
    platform: str, client: str, place: str, tmp_path: Path
) -> None:
    names = {
        "Claude Desktop": "claude-desktop",
        "VS Code": "vscode",
        "Goose": "goose",
        "Zed": "zed",
    }
    name, text = FILES[names[client]]
    path = tmp_path / place / Path(name).name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    here = places(tmp_path, platform)
    assert {s.source for s in find_servers(here, OURSELVES).servers} == {client}
