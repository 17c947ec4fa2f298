"""An example of each command, for its `--help`. Tests hold them against the grammar."""

from __future__ import annotations

EXIT_CODES = "Exit codes: 0 done, 1 failed, 2 wrong usage."

EXAMPLES: dict[str, tuple[str, ...]] = {
    "serve": ("toolbooth serve --port 0 --data-dir /tmp/toolbooth",),
    "connect": ("toolbooth connect --profile claude-desktop",),
    "add": (
        "toolbooth add Files -- npx -y @modelcontextprotocol/server-filesystem /home/me",
        "toolbooth add GitHub --env GITHUB_TOKEN=ghp_... -- github-mcp-server stdio",
        "toolbooth add Docs --url https://example.com/mcp --header 'X-Api-Key=...'",
    ),
    "remove": ("toolbooth remove files",),
    "enable": ("toolbooth enable files",),
    "disable": ("toolbooth disable files",),
    "receipt": ("toolbooth receipt files",),
    "sign-in": ("toolbooth sign-in notes",),
    "sign-out": ("toolbooth sign-out notes",),
    "list": ("toolbooth list --workspace Work",),
    "refresh": ("toolbooth refresh", "toolbooth refresh files --packages"),
    "approve": (
        "toolbooth approve files",
        "toolbooth approve files:read_file",
        "toolbooth approve files --network",
    ),
    "pending": ("toolbooth pending files",),
    "findings": ("toolbooth findings",),
    "tools": ("toolbooth tools", "toolbooth tools files"),
    "search": ("toolbooth search 'read a file' 'send an e-mail' --limit 3",),
    "call": ('toolbooth call time:get_current_time \'{"timezone": "UTC"}\'',),
    "pin": ("toolbooth pin files:read_file", "toolbooth pin", "toolbooth pin --project Site"),
    "unpin": ("toolbooth unpin files:read_file",),
    "permission set": ("toolbooth permission set files:write_file ask",),
    "permission list": ("toolbooth permission list --project 'Site'",),
    "permission rule": (
        "toolbooth permission rule ask --destructive",
        "toolbooth permission rule deny --server files --argument 'path=/etc/*' --place 1",
        "toolbooth permission rule --remove 2",
    ),
    "permission asks": ("toolbooth permission asks",),
    "permission answer": ("toolbooth permission answer 3f9a once",),
    "script add": ("toolbooth script add standup standup.lua",),
    "script list": ("toolbooth script list",),
    "script show": ("toolbooth script show standup",),
    "script remove": ("toolbooth script remove standup",),
    "script run": ('toolbooth script run standup \'{"team": "web"}\' --dry',),
    "learning show": ("toolbooth learning show",),
    "learning clear": ("toolbooth learning clear --project Site",),
    "learning on": ("toolbooth learning on",),
    "learning off": ("toolbooth learning off",),
    "cloud set": ("toolbooth cloud set https://search.example.com --token-env SEARCH_TOKEN",),
    "cloud off": ("toolbooth cloud off",),
    "client list": ("toolbooth client list",),
    "client servers": ("toolbooth client servers",),
    "client preview": ("toolbooth client preview cursor",),
    "client connect": ("toolbooth client connect cursor",),
    "client disconnect": ("toolbooth client disconnect cursor",),
    "import": ("toolbooth import ~/mcp.json", "toolbooth import --from cursor"),
    "status": ("toolbooth status --json",),
    "token new": (
        "toolbooth token new Laptop",
        "toolbooth token new CI --workspace Work --server files --expires 30d",
    ),
    "token list": ("toolbooth token list",),
    "token revoke": ("toolbooth token revoke 1a2b3c4d",),
    "workspace new": ("toolbooth workspace new Work",),
    "workspace use": ("toolbooth workspace use Work",),
    "workspace rename": ("toolbooth workspace rename Work 'Day job'",),
    "workspace remove": ("toolbooth workspace remove Work",),
    "workspace restore": ("toolbooth workspace restore work",),
    "workspace set": ("toolbooth workspace set --workspace Work --approval ask_always",),
    "workspace list": ("toolbooth workspace list",),
    "project new": ("toolbooth project new Site --server files --server github",),
    "project set": (
        "toolbooth project set Site --optimization off",
        "toolbooth project set Site --server files --server github",
        "toolbooth project set - --exposure progressive",
    ),
    "project rename": ("toolbooth project rename Site 'Web site'",),
    "project remove": ("toolbooth project remove Site",),
    "project list": ("toolbooth project list",),
    "activity": ("toolbooth activity --since 12h --errors", "toolbooth activity --export csv"),
    "savings": ("toolbooth savings --since 30d",),
}


def epilog(command: str) -> str:
    """What stands below the options of `command`."""
    examples = EXAMPLES[command]
    title = "Example:" if len(examples) == 1 else "Examples:"
    return "\n".join((title, *(f"  {line}" for line in examples), "", EXIT_CODES))
