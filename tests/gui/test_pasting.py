"""Every shape in which people find a server on the web, pasted."""

from __future__ import annotations

import pytest

from gui.server.command_line import join, split
from gui.server.names import guess_name
from gui.server.pasting import parse_pasted
from router.errors import InvalidInput
from router.settings import ServerConfig

FILESYSTEM = {
    "filesystem": ServerConfig(
        command="npx", args=("-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files")
    )
}


@pytest.mark.parametrize(
    "text",
    [
        'npx -y @modelcontextprotocol/server-filesystem "/tmp/my files"',
        '$ npx -y @modelcontextprotocol/server-filesystem "/tmp/my files"',
        """{"mcpServers": {"filesystem": {"command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files"]}}}""",
        """{"servers": {"filesystem": {"command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files"]}}}""",
        """{"filesystem": {"command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files"]}}""",
        """"filesystem": {"command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files"]},""",
        """{"command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files"]}""",
        """{"name": "filesystem", "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files"]}""",
        """{ // as written by hand
            "mcpServers": {"filesystem": {"command": "npx", /* old: "uvx" */
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp/my files",],},},}""",
    ],
    ids=[
        "command line",
        "command line after a prompt",
        "mcpServers",
        "servers",
        "the servers alone",
        "an entry without braces",
        "one server",
        "one server with its name inside",
        "comments and trailing commas",
    ],
)
def test_each_shape_gives_the_same_server(text: str) -> None:
    assert parse_pasted(text, windows=False) == FILESYSTEM


def test_an_address_is_a_server() -> None:
    assert parse_pasted(" https://mcp.linear.app/mcp\n") == {
        "linear": ServerConfig(url="https://mcp.linear.app/mcp")
    }


def test_an_address_inside_json_keeps_its_slashes() -> None:
    text = '{"mcpServers": {"docs": {"serverUrl": "https://example.com/mcp"}}}'
    assert parse_pasted(text) == {"docs": ServerConfig(url="https://example.com/mcp")}


def test_variables_before_a_command_become_its_environment() -> None:
    parsed = parse_pasted("GITHUB_TOKEN=abc uvx mcp-server-github A=b", windows=False)
    assert parsed == {
        "github": ServerConfig(
            command="uvx", args=("mcp-server-github", "A=b"), env={"GITHUB_TOKEN": "abc"}
        )
    }


def test_a_windows_path_keeps_its_backslashes() -> None:
    parsed = parse_pasted(r'"C:\Program Files\nodejs\npx.cmd" -y @playwright/mcp', windows=True)
    assert parsed == {
        "playwright": ServerConfig(
            command=r"C:\Program Files\nodejs\npx.cmd", args=("-y", "@playwright/mcp")
        )
    }


def test_several_servers_are_all_taken() -> None:
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://b.example/mcp"}}}'
    assert list(parse_pasted(text)) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("  ", "There is nothing to read."),
        ('npx "server', "A quotation mark is never closed."),
        ("TOKEN=abc", "This sets variables but names no command."),
        ('{"mcpServers": {\n"a" 1}}', "line 2: Expecting ':' delimiter."),
        ('{"mcpServers": {}}', "There is no server in it."),
        ('{"mcpServers": {"a": {"args": []}}}', 'a: a server needs either "command" or "url".'),
        ('{"url": "ftp://x"}', '"url" must start with http:// or https://.'),
        ('{"command": "x", "env": {"A": []}}', "env.A: Input should be a valid string."),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_pasted(text, windows=False)
    assert caught.value.message.endswith(sentence)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("uvx mcp-server-time --local-timezone=Asia/Tokyo", "time"),
        ("npx -y @upstash/context7-mcp@latest", "context7"),
        ("npx @playwright/mcp@latest", "playwright"),
        ("docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server", "github"),
        ("docker run -i mcp/sequentialthinking", "sequentialthinking"),
        ("python -m mcp_server_git --repository .", "git"),
        ("node /home/me/weather-server/build/index.js", "weather"),
        ("/opt/tools/linear-bridge", "linear-bridge"),
        ("npx -y", "server"),
    ],
)
def test_a_name_is_guessed_from_the_package_or_file(command: str, name: str) -> None:
    first, *rest = command.split()
    assert guess_name(ServerConfig(command=first, args=tuple(rest))) == name


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.githubcopilot.com/mcp/", "githubcopilot"),
        ("https://mcp.context7.com/mcp", "context7"),
        ("http://localhost:3000/mcp", "localhost"),
    ],
)
def test_a_name_is_guessed_from_the_address(url: str, name: str) -> None:
    assert guess_name(ServerConfig(url=url)) == name


@pytest.mark.parametrize("windows", [True, False])
@pytest.mark.parametrize(
    "arguments",
    [["npx", "-y", "a b"], ["x", ""], ['say "hi"', "c\\", "d e\\"], ["it's", "$HOME", "%PATH%"]],
)
def test_a_command_line_taken_apart_and_joined_is_the_same(
    arguments: list[str], windows: bool
) -> None:
    assert split(join(arguments, windows=windows), windows=windows) == arguments
