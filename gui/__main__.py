"""The command `toolbooth`: opens the window without a command word, else runs the headless CLI.

Qt is imported only for a window, and our own modules only where Ctrl+C during the import, which
takes a moment, is handled.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.link.router_thread import HostedRouter
    from router.config.settings import Settings
    from router.store.instance_lock import InstanceLock

_USAGE = """\
usage: toolbooth [--data-dir DIR] [--port PORT] [--hidden] [LINK]

Without a command, toolbooth opens its window.
  --data-dir DIR  directory for settings and state
  --port PORT     port to listen on (default: the port in the settings)
  --hidden        show only the tray icon
  LINK            toolbooth:// link that adds a server
"""
_NO_DISPLAY = """\
toolbooth: There is no display to open a window on.
           Run Toolbooth without a window: toolbooth serve
"""


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        return _main(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return 1


def _main(words: list[str]) -> int:
    from router.__main__ import data_dir, fill_standard_streams
    from router.__main__ import main as run_command

    fill_standard_streams()
    options = _window_options(words)
    if options is None:
        if words[0] in ("-h", "--help"):
            with suppress(BrokenPipeError):  # the CLI handles a closed pipe
                print(_USAGE, flush=True)
        return run_command(words)
    if not _has_display():
        sys.stderr.write(_NO_DISPLAY)
        return 1
    return _open_window(data_dir(options.data_dir), options, words)


def _window_options(words: list[str]) -> argparse.Namespace | None:
    """The options of the window; None if `words` are for the headless CLI."""
    from gui.desktop.own_link import is_own_link

    if words and not (words[0].startswith("-") or is_own_link(words[0])):
        return None
    parser = argparse.ArgumentParser(prog="toolbooth", add_help=False, allow_abbrev=False)
    parser.add_argument("--data-dir")
    parser.add_argument("--port", type=_port)
    parser.add_argument("--hidden", action="store_true")
    # A link is the last word. A quote in one could end it where a system starts us by a line of
    # text, as Windows does; what follows would be options that a web page chose.
    link = words[-1] if words and is_own_link(words[-1]) else None
    options, rest = parser.parse_known_args(words[:-1] if link else words)
    options.link = link
    return None if rest else options


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text} is not a port (0 to 65535)")
    return int(text)


def _has_display() -> bool:
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform != "linux" or any(os.environ.get(name) for name in named)


def _open_window(folder: Path, options: argparse.Namespace, words: list[str]) -> int:
    """Loads nothing of Qt if a window is open already."""
    from router.cli.window import claim
    from router.domain.errors import ToolboothError

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        sys.stderr.write(f"toolbooth: {folder} can't be the data directory: {error.strerror}.\n")
        return 1
    try:
        instance = claim(folder, words)
        return 0 if instance is None else _run_window(folder, options, instance)
    except ToolboothError as error:
        sys.stderr.write(f"toolbooth: {error.message} {error.hint}\n")
        return 1


def _run_window(folder: Path, options: argparse.Namespace, instance: InstanceLock) -> int:
    try:
        from qasync import QEventLoop  # pyright: ignore[reportMissingTypeStubs]

        from gui.application import Application, DesktopApplication
        from gui.desktop.logs import set_up_logging
        from gui.desktop.os_signals import on_interrupt
    except ImportError as error:
        sys.stderr.write(f"toolbooth: Qt can't be loaded: {error}\n")
        return 1
    app = DesktopApplication(["toolbooth"])
    set_up_logging(folder)

    async def open_router() -> HostedRouter:
        from router.runtime.tracing import redact_logs
        from router.service import Router  # Takes most of a second: on the router's own thread.

        router = Router(folder, port=options.port, attended=True, instance=instance)
        redact_logs(router.redact)
        return router

    with QEventLoop(app) as loop:
        settings = _known_settings(folder)
        application = Application(app, open_router, settings, stop_loop=loop.stop)
        on_interrupt(loop, app, application.quit)
        hidden = options.hidden or settings.start_hidden
        application.start(hidden=hidden, link=options.link)
        loop.run_forever()
        loop.run_until_complete(application.clear_desktop())  # pyright: ignore[reportUnknownMemberType]
        application.shut_down()
    return application.exit_code


def _known_settings(folder: Path) -> Settings:
    """The settings until the router has read them; the router reports a malformed file."""
    from router.config.settings import Settings

    try:
        return Settings.model_validate_json((folder / "settings.json").read_bytes())
    except (OSError, ValueError):
        return Settings()


if __name__ == "__main__":
    sys.exit(main())
