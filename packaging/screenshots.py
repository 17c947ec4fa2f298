"""Pictures of the window with sample data, to look at: `python packaging/screenshots.py OUTDIR`.

Light and dark, at each scale; with `--docs`, those of the documentation, in English and Japanese.
Needs no screen and starts no router.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SCREEN = ROOT / "packaging" / "screen.json"  # Large: windows shrink to fit theirs.
os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={SCREEN}")

from PySide6.QtGui import QPixmap  # noqa: E402
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget  # noqa: E402
from qasync import QEventLoop  # noqa: E402  # pyright: ignore[reportMissingTypeStubs]
from screens_demo import (  # noqa: E402
    PERSONAL,
    demo_pending,
    demo_receipt,
    demo_replies,
    demo_state,
    demo_tools,
    server,
)
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
from gui.window.try_dialog import TryDialog  # noqa: E402
from router.clients import Findings  # noqa: E402
from router.events import (  # noqa: E402
    ConfigRejected,
    ListenerStateChanged,
    ServerStatusChanged,
)
from router.lists import Approval, Cut, CutKind, Finding, FindingKind  # noqa: E402
from router.model import (  # noqa: E402
    ListenerPhase,
    ListenerState,
    ServerId,
    ServerRef,
    ServerState,
    Transport,
)
from tests.fakes import FakeRouter, RouterState, run_now  # noqa: E402

FILESYSTEM = ServerRef(PERSONAL, ServerId("filesystem"))
SCALES = ("1", "1.25", "1.5", "2")
DOCS_SCALE = "1"
DOCS = frozenset(
    "main empty guide-connect apps preview needs playground try logs "
    "settings-optimization settings-security settings-apps server-command tray".split()
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outdir", type=Path)
    parser.add_argument("--scale", choices=SCALES, help="only this one")
    parser.add_argument("--language", default="en")
    parser.add_argument("--only", default="", help="screens whose name contains this")
    parser.add_argument("--docs", action="store_true", help="only what the documentation shows")
    arguments = parser.parse_args()
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    if arguments.docs and not arguments.scale:
        for language in ("en", "ja"):
            again("--scale", DOCS_SCALE, "--language", language, scale=DOCS_SCALE)
        return
    if arguments.scale and arguments.docs:
        take(arguments.outdir, DOCS, arguments.language)
        return
    if arguments.scale:
        take_all(arguments.outdir, arguments.scale, arguments.language, arguments.only)
        return
    for scale in SCALES:
        again("--scale", scale, scale=scale)


def again(*options: str, scale: str) -> None:
    """In a process of its own: Qt reads the scale once, at its start."""
    command = [sys.executable, __file__, *sys.argv[1:], *options]
    subprocess.run(command, check=True, env={**os.environ, "QT_SCALE_FACTOR": scale})


def take(outdir: Path, names: Collection[str], language: str) -> None:
    """The screens called `names`, as `name-mode.png` or `name-mode-ja.png`."""
    suffix = "" if language == "en" else f"-{language}"
    for name, mode, picture in pictures(language):
        if name in names:
            picture.save(str(outdir / f"{name}-{mode}{suffix}.png"))


def take_all(outdir: Path, scale: str, language: str, only: str) -> None:
    for name, mode, picture in pictures(language):
        if only in name:
            picture.save(str(outdir / f"{name}-{mode}@{scale}x.png"))


def pictures(language: str) -> Iterator[tuple[str, Mode, QPixmap]]:
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
            yield name, mode, settled(widget).grab()
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
    yield "needs", needs()
    yield "receipt", receipt()
    yield "held-tools", held()
    yield "playground", playground()
    yield "logs", logs()
    yield "try", attempt()
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


def needs() -> MainWindow:
    """Sign-ins, commands and tools that wait for a person."""
    router = FakeRouter(demo_state())
    waiting = server("Docs", Transport.STDIO, "uvx docs-mcp", state=ServerState.NEEDS_CONSENT)
    router.state.servers[PERSONAL] += (waiting,)
    router.state.pending = demo_pending()
    router.receipts[FILESYSTEM] = demo_receipt()
    made = opened(router)
    made.go_to(Place.NEEDS_YOU)
    return made


def held() -> MainWindow:
    """Tools that are new, changed or suspicious among the others, and what was left out."""
    router = FakeRouter(demo_state())
    github, *others = router.state.servers[PERSONAL]
    cuts = (Cut(CutKind.LONG_DESCRIPTION, 3), Cut(CutKind.ICON, 1))
    router.state.servers[PERSONAL] = (replace(github, cuts=cuts), *others)
    steering = Finding(FindingKind.POISONING, "steers", "description", "always call this first")
    suspicious, new, changed, *rest = router.state.tools[github.ref]
    router.state.tools[github.ref] = (
        suspicious._replace(approval=Approval.CHANGED, findings=(steering,)),
        new._replace(approval=Approval.PENDING),
        changed._replace(approval=Approval.CHANGED),
        *rest,
    )
    return opened(router)


def receipt() -> MainWindow:
    """A server's configuration, and what it tried while its tools were listed."""
    router = FakeRouter(demo_state())
    router.receipts[FILESYSTEM] = demo_receipt()
    made = opened(router)
    made.page.servers.select(FILESYSTEM)
    made.page.detail.show_configuration()
    return made


def playground() -> MainWindow:
    router = FakeRouter(demo_state())
    router.searches.replies = demo_replies()
    made = opened(router)
    made.go_to(Place.PLAYGROUND)
    if made.others is not None:
        made.others.playground.ask("open a ticket about the login bug")
    return made


def logs() -> MainWindow:
    made = window(demo_state())
    made.page.detail.show_logs()
    return made


def attempt() -> QWidget:
    state = demo_state()
    state.result = {"content": [{"type": "text", "text": "Created issue #482: Login bug"}]}
    dialog = TryDialog(FakeRouter(state), Commands(run_now), PERSONAL, demo_tools()[0], None)
    for field, text in zip(
        dialog.findChildren(QLineEdit), ("acme", "shop", "Login bug"), strict=False
    ):
        field.setText(text)
    dialog.run()
    dialog.open()
    return dialog


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


if __name__ == "__main__":
    main()
