"""Links and commands that would install a server in other apps can be pasted."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from gui.dialogs.add_server.paste_parser import parse_pasted
from router.config.server import ServerConfig
from router.domain.errors import InvalidInput

ENTRY = {"command": "npx", "args": ["-y", "server"]}
CONFIG = ServerConfig(command="npx", args=("-y", "server"))
CODED = base64.b64encode(json.dumps(ENTRY).encode()).decode()
GITHUB = ServerConfig(
    url="https://api.example/mcp", headers={"Authorization": "Bearer ${env:TOKEN}"}
)


@pytest.mark.parametrize(
    ("text", "name", "config"),
    [
        (
            f"cursor://anysphere.cursor-deeplink/mcp/install?name=notes&config={CODED}",
            "notes",
            CONFIG,
        ),
        (f"toolbooth://add?name=notes&config={CODED}", "notes", CONFIG),
        (f"https://cursor.com/en/install-mcp?name=notes&config={quote(CODED)}", "notes", CONFIG),
        (
            f"[![Add to Cursor](https://c.example/b.svg)](https://cursor.com/install-mcp?name=notes"
            f"&config={quote(CODED)})",
            "notes",
            CONFIG,
        ),
        (
            "https://insiders.vscode.dev/redirect/mcp/install?name=notes&quality=insiders&config="
            + quote(json.dumps(ENTRY)),
            "notes",
            CONFIG,
        ),
        (
            "https://vscode.dev/redirect?url="
            + quote("vscode:mcp/install?" + quote(json.dumps({"name": "notes", **ENTRY}))),
            "notes",
            CONFIG,
        ),
        ("toolbooth://add?name=notes&cmd=npx&arg=-y&arg=server", "notes", CONFIG),
        (f"lmstudio://add_mcp?name=notes&config={CODED.rstrip('=')}", "notes", CONFIG),
        (f"vscode:mcp/install?{quote(json.dumps({'name': 'notes', **ENTRY}))}", "notes", CONFIG),
        (
            "goose://extension?url=https%3A%2F%2Fapi.example%2Fmcp&type=streamable_http&id=n"
            "&name=notes&header=Authorization%3DBearer%20%24%7Benv%3ATOKEN%7D",
            "notes",
            GITHUB,
        ),
        ("goose://extension?cmd=npx&arg=-y&arg=server&id=n&name=notes", "notes", CONFIG),
        ("claude mcp add notes -- npx -y server", "notes", CONFIG),
        ("claude mcp add notes npx -y server", "notes", CONFIG),
        ("claude mcp add -s user --transport stdio notes -- npx -y server", "notes", CONFIG),
        (
            "claude mcp add notes -e KEY=v -- npx -y server",
            "notes",
            ServerConfig(command="npx", args=("-y", "server"), env={"KEY": "v"}),
        ),
        (
            "claude mcp add -t http notes https://api.example/mcp "
            '-H "Authorization: Bearer ${env:TOKEN}"',
            "notes",
            GITHUB,
        ),
        (f"claude mcp add-json notes '{json.dumps(ENTRY)}'", "notes", CONFIG),
        ("codex mcp add notes -- npx -y server", "notes", CONFIG),
        (
            "codex mcp add notes --url https://api.example/mcp --bearer-token-env-var TOKEN",
            "notes",
            GITHUB,
        ),
        (f"code --add-mcp '{json.dumps({'name': 'notes', **ENTRY})}'", "notes", CONFIG),
        ('[mcp_servers.notes]\ncommand = "npx"\nargs = ["-y", "server"]', "notes", CONFIG),
    ],
)
def test_install_links_and_commands_of_other_apps_fill_the_form(
    text: str, name: str, config: ServerConfig
) -> None:
    ((found, read),) = parse_pasted(text, windows=False).items()
    assert found == name
    assert read.config_hash == config.config_hash


@pytest.mark.parametrize(
    "text",
    [
        "cursor://anysphere.cursor-deeplink/mcp/install?name=x",
        "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=%%%",
        "vscode:mcp/install?nothing",
        "https://vscode.dev/redirect?url=https%3A%2F%2Felsewhere.example",
        "https://cursor.com/install-mcp?name=x",
        "goose://extension?name=x",
        "claude mcp add notes",
        "claude mcp add -e KEY notes npx",
        "code --add-mcp nonsense",
        "[mcp_servers.x",
    ],
)
def test_text_without_a_server_is_refused_with_a_message(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_pasted(text, windows=False)
    assert refused.value.message


def test_other_commands_of_these_programs_stay_commands() -> None:
    ((_, config),) = parse_pasted("claude mcp serve", windows=False).items()
    assert config.args == ("mcp", "serve")
