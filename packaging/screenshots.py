"""Pictures of the window with sample data, to look at: `python packaging/screenshots.py OUTDIR`.

Light and dark, at each scale; needs no screen and starts no router.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QWidget  # noqa: E402
from qasync import QEventLoop  # noqa: E402  # pyright: ignore[reportMissingTypeStubs]
from screens_dialogs import (  # noqa: E402
    demo_apps,
    demo_found,
    dialog_screens,
    guide_screens,
    settled,
)

from gui.commands import Commands  # noqa: E402
from gui.language import Language  # noqa: E402
from gui.look.theme import Mode, theme  # noqa: E402
from gui.window.main_window import MainWindow  # noqa: E402
from gui.window.places import Place  # noqa: E402
from router.clients import Findings  # noqa: E402
from router.events import (  # noqa: E402
    ConfigRejected,
    ListenerStateChanged,
    ServerStatusChanged,
)
from router.model import (  # noqa: E402
    ActivityEntry,
    ActivityKind,
    DataSource,
    DiscoveryStatus,
    DiscoveryStep,
    Effect,
    Failure,
    FailureKind,
    ListenerPhase,
    ListenerState,
    Outcome,
    Parameter,
    Permission,
    Savings,
    ServerId,
    ServerRef,
    ServerState,
    ServerStatus,
    TokenId,
    TokenSummary,
    ToolKey,
    ToolView,
    Transport,
    WorkspaceId,
    WorkspaceSummary,
)
from router.settings import ServerConfig  # noqa: E402
from tests.fakes import FakeRouter, RouterState, run_now  # noqa: E402

NOW = datetime.now(UTC)
PERSONAL = WorkspaceId("personal")
SCALES = ("1", "1.25", "1.5", "2")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outdir", type=Path)
    parser.add_argument("--scale", choices=SCALES, help="only this one")
    parser.add_argument("--language", default="en")
    parser.add_argument("--only", default="", help="screens whose name contains this")
    arguments = parser.parse_args()
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    if arguments.scale:
        take_all(arguments.outdir, arguments.scale, arguments.language, arguments.only)
        return
    for scale in SCALES:
        # Qt reads the scale once, at the start of the process.
        command = [sys.executable, __file__, *sys.argv[1:], "--scale", scale]
        subprocess.run(command, check=True, env={**os.environ, "QT_SCALE_FACTOR": scale})


def take_all(outdir: Path, scale: str, language: str, only: str) -> None:
    app = QApplication([])
    speech = Language(app)
    speech.use(language)
    look = theme()
    look.apply(app)
    loop: asyncio.AbstractEventLoop = QEventLoop(app, already_running=True)
    asyncio.set_event_loop(loop)
    modes: tuple[Mode, ...] = ("light", "dark")
    for mode in modes:
        look.set_mode(mode)
        for name, widget in screens():
            settled(widget)
            if only in name:
                widget.grab().save(str(outdir / f"{name}-{mode}@{scale}x.png"))
            widget.deleteLater()
            app.processEvents()


def screens() -> Iterator[tuple[str, QWidget]]:
    yield "main", window(demo_state())
    small = window(demo_state())
    small.resize(1100, 700)
    yield "main-small", small
    trouble = window(demo_state())
    trouble.page.servers.select(ServerRef(PERSONAL, ServerId("sentry")))
    yield "failed-server", trouble
    yield "approval", approval()
    yield "notices", notices()
    yield "empty", empty()
    yield "apps", apps()
    starting = MainWindow(theme(), Commands(run_now))
    starting.show()
    yield "starting", starting
    yield from dialog_screens(FakeRouter(demo_state()))
    yield from guide_screens(FakeRouter(demo_state()))


def empty() -> MainWindow:
    """A workspace without servers, on a computer where others have some."""
    router = FakeRouter()
    router.apps.findings = Findings(demo_found())
    return opened(router)


def apps() -> MainWindow:
    router = FakeRouter(demo_state())
    router.apps.apps = demo_apps()
    made = opened(router)
    made.go_to(Place.APPS)
    return made


def approval() -> MainWindow:
    """A server that came by a file, waiting for consent; its configuration."""
    status = server("Sentry", Transport.STDIO, "uvx sentry", state=ServerState.NEEDS_CONSENT)
    made = window(demo_state())
    made.handle([ServerStatusChanged(status)])
    made.page.servers.select(status.ref)
    made.page.detail.show_configuration()
    return made


def notices() -> MainWindow:
    """The strips that say what is wrong, and an undo."""
    made = window(demo_state())
    made.handle(
        [
            ListenerStateChanged(
                ListenerState(
                    ListenerPhase.FAILED,
                    message="Port 3717 is taken by another program.",
                )
            ),
            ConfigRejected(
                Path("~/.local/share/toolbooth/workspaces/personal/workspace.json"),
                12,
                "Expecting ',' delimiter",
            ),
        ]
    )
    made.undo_bar.offer("Removed Notion", lambda: None)
    return made


def window(state: RouterState) -> MainWindow:
    return opened(FakeRouter(state))


def opened(router: FakeRouter) -> MainWindow:
    made = MainWindow(theme(), Commands(run_now))
    made.attach(router)
    made.show()
    return made


def demo_state() -> RouterState:
    servers = demo_servers()
    state = RouterState()
    state.workspaces = tuple(
        WorkspaceSummary(WorkspaceId(name.lower()), name, count, active=name == "Personal")
        for name, count in (("Personal", 8), ("Acme", 5), ("Research", 4), ("Sandbox", 2))
    )
    state.servers[PERSONAL] = servers
    state.configs = {s.ref: config_of(s) for s in servers}
    state.tools[servers[0].ref] = demo_tools()
    state.savings[PERSONAL] = Savings(
        1140,
        48_300,
        2_840_000,
        61,
        tuple(1000 * n for n in (9, 4, 4, 4, 4, 4, 4, 4, 14, 35, 66, 93, 75, 61, 106, 128, 117))
        + tuple(1000 * n for n in (88, 98, 78, 54, 83, 112, 73)),
    )
    state.activity = demo_activity()
    state.tokens = tuple(
        TokenSummary(TokenId(name), name, None, None, NOW, None, NOW)
        for name in ("Claude Code", "Cursor", "VS Code")
    )
    return state


def demo_servers() -> tuple[ServerStatus, ...]:
    http, stdio = Transport.HTTP, Transport.STDIO
    uvx_missing = Failure(FailureKind.COMMAND_NOT_FOUND, "uvx", "/usr/local/bin, /usr/bin")
    return (
        server("GitHub", http, "api.githubcopilot.com/mcp", count=81),
        server("Filesystem", stdio, "npx -y server-filesystem", count=14),
        server("Linear", http, "mcp.linear.app/mcp", count=32),
        server(
            "Postgres staging",
            stdio,
            "uvx postgres-mcp",
            state=ServerState.CONNECTING,
            step=DiscoveryStep.DISCOVERING,
        ),
        server("Slack", http, "mcp.slack.com/mcp", state=ServerState.NEEDS_SIGN_IN),
        server("Playwright", stdio, "npx -y @playwright/mcp", count=24, state=ServerState.IDLE),
        server(
            "Sentry",
            stdio,
            "uvx mcp-server-sentry",
            state=ServerState.FAILED,
            failure=uvx_missing,
        ),
        server("Notion", http, "mcp.notion.com/mcp", state=ServerState.DISABLED, count=18),
    )


def server(
    name: str,
    transport: Transport,
    target: str,
    *,
    count: int | None = None,
    state: ServerState = ServerState.READY,
    step: DiscoveryStep | None = None,
    failure: Failure | None = None,
) -> ServerStatus:
    return ServerStatus(
        workspace=PERSONAL,
        id=ServerId(name.lower().replace(" ", "_")),
        name=name,
        transport=transport,
        target=target,
        enabled=state is not ServerState.DISABLED,
        state=state,
        discovery=DiscoveryStatus.DISCOVERING if step else DiscoveryStatus.SUCCESS,
        step=step,
        tool_count=count,
        prompt_count=0,
        resource_count=0,
        listed_at=NOW - timedelta(minutes=2) if count else None,
        failure=failure,
    )


def config_of(status: ServerStatus) -> ServerConfig:
    if status.transport is Transport.HTTP:
        return ServerConfig(url=f"https://{status.target}", headers={"Authorization": "…"})
    command, *args = status.target.split(" ")
    return ServerConfig(command=command, args=tuple(args), env={"API_KEY": "${keyring:key}"})


def demo_tools() -> tuple[ToolView, ...]:
    lines = (
        ("create_issue", "Open a new issue in a repository. Labels and assignees are applied when"
         " the account may set them.", Effect.WRITES, 412),
        ("list_issues", "List issues filtered by state, label or assignee", Effect.READS, 368),
        ("search_code", "Search code across repositories using qualifiers", Effect.READS, 297),
        ("get_pull_request", "Fetch one pull request with its state", Effect.READS, 241),
        ("merge_pull_request", "Merge a pull request with merge, squash", Effect.DESTRUCTIVE, 233),
        ("create_branch", "Create a branch from another branch", Effect.WRITES, 176),
        ("add_issue_comment", "Add a comment to an issue or pull request", Effect.WRITES, 158),
        ("fork_repository", "Fork a repository into an account", Effect.WRITES, 149),
    )  # fmt: skip
    named = [tool(*line) for line in lines]
    others = [
        tool(f"tool_{n:02}", "One of many other tools", Effect.UNKNOWN, 140) for n in range(73)
    ]
    return (*named, *others)


def tool(name: str, description: str, effect: Effect, tokens: int) -> ToolView:
    return ToolView(
        key=ToolKey(ServerId("github"), name),
        title=name,
        description=description,
        signature=f"{name}(owner: str, repo: str)",
        parameters=(
            Parameter("owner", "string", True, "Account or organisation that owns the repository"),
            Parameter("repo", "string", True, "Repository name without the owner"),
            Parameter("title", "string", True, "Short summary of the issue"),
            Parameter("labels", "string[]", False, "Labels to attach; unknown labels are skipped"),
        ),
        effect=effect,
        context_tokens=tokens,
        permission=Permission.DENY if name == "fork_repository" else Permission.ALLOW,
        available=True,
        last_seen=NOW,
        source=DataSource.RUNTIME,
    )


def demo_activity() -> tuple[ActivityEntry, ...]:
    call, search = ActivityKind.CALL, ActivityKind.SEARCH
    return (
        entry(0, "Claude Code", call, 412, 1200, tool=("github", "create_issue")),
        entry(3, "Claude Code", search, 9, 640, query=("open an issue about the login bug", 5)),
        entry(24, "Cursor", call, 18, 3400, tool=("filesystem", "read_text_file")),
        entry(48, "VS Code", call, 203, 0, tool=("slack", "post_message"), error="sign-in expired"),
        entry(71, "Claude Code", search, 11, 702, query=("run the failing test in a browser", 6)),
        entry(80, "Cursor", search, 8, 655, query=("read a file", 8)),
        entry(99, "Cursor", call, 22, 900, tool=("linear", "list_cycles")),
    )


def entry(
    seconds_ago: int,
    client: str,
    kind: ActivityKind,
    milliseconds: float,
    tokens: int,
    *,
    tool: tuple[str, str] | None = None,
    query: tuple[str, int] | None = None,
    error: str | None = None,
) -> ActivityEntry:
    return ActivityEntry(
        at=NOW - timedelta(seconds=seconds_ago),
        request_id=str(seconds_ago),
        client=client,
        kind=kind,
        outcome=Outcome.ERROR if error else Outcome.OK,
        duration_ms=milliseconds,
        server=ServerId(tool[0]) if tool else None,
        tool=tool[1] if tool else None,
        detail=query[0] if query else None,
        result_count=query[1] if query else None,
        context_tokens=tokens,
        message=error,
    )


if __name__ == "__main__":
    main()
