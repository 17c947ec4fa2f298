"""Every format in which people find a server on the web, pasted."""

from __future__ import annotations

import pytest

from gui.dialogs.add_server.command_line import join, split
from gui.dialogs.add_server.paste_parser import parse_pasted
from gui.dialogs.add_server.server_name import guess_name
from router.config.server import ServerConfig
from router.domain.errors import InvalidInput

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
def test_each_format_gives_the_same_server(text: str) -> None:
    assert parse_pasted(text, windows=False) == FILESYSTEM


NPX = ServerConfig(command="npx", args=("-y", "notes-mcp"))


@pytest.mark.parametrize(
    "text",
    [
        "```bash\nnpx -y notes-mcp\n```",
        "`npx -y notes-mcp`",
        "> npx -y notes-mcp",
        "PS C:\\Users\\me> npx -y notes-mcp",
        "# first, install node\nnpx -y notes-mcp",
        "npx \\\n  -y \\\n  notes-mcp",
        "npx ^\n  -y notes-mcp",
        'Put this in your file:\n\n```json\n{"notes": {"command": "npx",'
        ' "args": ["-y", "notes-mcp"]}}\n```\n',
        '// in mcp.json\n{"notes": {"command": "npx", "args": ["-y", "notes-mcp"]}}',
        '{"mcp": {"servers": {"notes": {"command": "npx", "args": ["-y", "notes-mcp"]}}}}',
        '{"mcp": {"notes": {"command": ["npx", "-y", "notes-mcp"], "enabled": true}}}',
        '{"context_servers": {"notes": {"command": {"path": "npx", "args": ["-y", "notes-mcp"]}}}}',
        '{"notes": {"command": "npx -y notes-mcp"}}',
        '# Codex\n[mcp_servers.notes]\ncommand = "npx"\nargs = ["-y", "notes-mcp"]',
        "extensions:\n  notes:\n    cmd: npx\n    args: [-y, notes-mcp]",
        "mcpServers:\n  - name: notes\n    command: npx\n    args: [-y, notes-mcp]",
        "droid mcp add notes -- npx -y notes-mcp",
        "claude mcp add --scope=user --transport=stdio notes -- npx -y notes-mcp",
    ],
)
def test_markdown_and_prompts_around_a_server_are_stripped(text: str) -> None:
    [(name, config)] = parse_pasted(text, windows=False).items()
    assert (name, config.config_hash) == ("notes", NPX.config_hash)


@pytest.mark.parametrize(
    "text",
    [
        "KEY=a b-mcp",
        "env KEY=a b-mcp",
        "export KEY=a && b-mcp",
        "export KEY=a\nb-mcp",
        "claude mcp add --env=KEY=a b -- b-mcp",
    ],
)
def test_variables_are_found_wherever_they_are_set(text: str) -> None:
    [(name, config)] = parse_pasted(text, windows=False).items()
    assert (name, config.command, config.env) == ("b", "b-mcp", {"KEY": "a"})


def test_a_cd_before_the_command_sets_its_working_directory() -> None:
    [config] = parse_pasted("cd /srv/notes && node server.js", windows=False).values()
    assert (config.command, config.cwd) == ("node", "/srv/notes")


def test_several_commands_or_urls_are_several_servers() -> None:
    text = "claude mcp add a -- x\nnpx -y b-mcp\nhttps://mcp.c.example/mcp\nmcp.c.example/sse"
    found = parse_pasted(text, windows=False)
    assert {name: config.target for name, config in found.items()} == {
        "a": "x",
        "b": "npx -y b-mcp",
        "example": "mcp.c.example/mcp",
        "example-2": "mcp.c.example/sse",
    }


def test_inputs_a_client_would_prompt_for_are_left_empty() -> None:
    text = """{"servers": {"a": {"url": "https://a.example", "headers":
        {"Authorization": "Bearer ${input:token}", "X-Team": "b"}}}}"""
    [config] = parse_pasted(text).values()
    assert config.headers == {"Authorization": "Bearer ", "X-Team": "b"}


def test_a_url_is_a_server() -> None:
    assert parse_pasted(" https://mcp.linear.app/mcp\n") == {
        "linear": ServerConfig(url="https://mcp.linear.app/mcp")
    }


def test_a_url_inside_json_keeps_its_slashes() -> None:
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


def test_several_servers_are_all_parsed() -> None:
    text = '{"mcpServers": {"a": {"command": "x"}, "b": {"url": "https://b.example/mcp"}}}'
    assert list(parse_pasted(text)) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("  ", "There is nothing to import."),
        ('npx "server', "A quotation mark is not closed."),
        ("TOKEN=abc", "This sets variables but has no command."),
        ('{"mcpServers": {\n"a" 1}}', "line 2: Expecting ':' delimiter."),
        ('{"mcpServers": {}}', "This contains no servers."),
        ('{"mcpServers": {"a": {"args": []}}}', 'a: a server needs either "command" or "url".'),
        ('{"url": "ftp://x"}', '"url" must start with http:// or https://.'),
        ("npx a | tee log", "“|” needs a shell, but servers are started without one."),
        ("[1, 2]", "“[1,” is not a command, URL, install link or configuration snippet."),
        ("null", "“null” is not a command, URL, install link or configuration snippet."),
        ("ftp://a.example", "install link or configuration snippet."),
        ("Here is what you need to do.", "This looks like a sentence, not a server."),
        ("mcpServers:\n  a: [", "line 2: expected the node content, but found '<stream end>'."),
        ("x" * 300_000, "This is too long. Import it as a file instead."),
        ('{"command": "x", "env": {"A": []}}', "env.A: Input should be a valid string."),
    ],
)
def test_unreadable_text_is_refused_with_the_reason(text: str, sentence: str) -> None:
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
def test_a_name_is_guessed_from_the_url(url: str, name: str) -> None:
    assert guess_name(ServerConfig(url=url)) == name


@pytest.mark.parametrize("windows", [True, False])
@pytest.mark.parametrize(
    "arguments",
    [["npx", "-y", "a b"], ["x", ""], ['say "hi"', "c\\", "d e\\"], ["it's", "$HOME", "%PATH%"]],
)
def test_splitting_and_joining_a_command_line_is_lossless(
    arguments: list[str], windows: bool
) -> None:
    assert split(join(arguments, windows=windows), windows=windows) == arguments


@pytest.mark.parametrize(
    "text",
    [
        '{"command": "npx -y \\"my files"}',
        '{"command": "npx", "count": %s}' % ("9" * 5000),
        f'[mcp_servers.a]\ncommand = "npx"\ncount = {"9" * 5000}',
        f"[mcp_servers.a]\ndeep = {'[' * 5000}",
        "mcpServers:\n  a:\n    command: npx\n    since: 2020-13-45",
    ],
)
def test_text_python_cannot_parse_is_refused_with_a_message(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_pasted(text)


@pytest.mark.parametrize(
    "text",
    [
        "[[a](b)" + "[a](b)" * 40 + "x",
        "```\n" + " " * 200_000 + "x",
        '{"' + '\\"' * 100_000,
        "{" + "/*" * 100_000,
        "`" * 5_000_000,
    ],
)
def test_refusing_any_text_is_fast(text: str) -> None:
    """One that backtracks would exceed the timeout of any test."""
    with pytest.raises(InvalidInput):
        parse_pasted(text)
