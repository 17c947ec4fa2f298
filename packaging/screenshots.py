"""`python packaging/screenshots.py OUTDIR`: takes screenshots of every screen.

Light and dark, at each scale and in both languages; with `--docs`, those of the documentation. The
window shows a running router with running servers (see `demo_data.py`). No display is needed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SCREEN = ROOT / "packaging" / "screen.json"  # Large: windows shrink to fit theirs.
os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={SCREEN}")

import small_png  # noqa: E402
from demo_router import Demo, running_demo, settled  # noqa: E402
from PySide6.QtCore import QCoreApplication, QEvent  # noqa: E402
from PySide6.QtGui import QPixmap  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402
from qasync import QEventLoop  # noqa: E402  # pyright: ignore[reportMissingTypeStubs]
from screens_dialogs import dialog_screens  # noqa: E402
from screens_windows import window_screens  # noqa: E402

from gui.desktop.language import Language  # noqa: E402
from gui.widgets.theme import Mode, theme  # noqa: E402

FOLDER = Path(tempfile.gettempdir()) / "toolbooth-demo"
SCALES = ("1", "1.25", "1.5", "2")
LANGUAGES = ("en", "ja")
DOCS_SCALE = "2"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("outdir", type=Path)
    parser.add_argument("--scale", choices=SCALES, help="only this one")
    parser.add_argument("--language", choices=LANGUAGES, help="only this one")
    parser.add_argument("--only", default="", help="screens whose name contains this")
    parser.add_argument("--docs", action="store_true", help="for the documentation")
    parser.add_argument("--built", action="store_true", help="the demo data exists already")
    arguments = parser.parse_args()
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    if arguments.scale and arguments.language and arguments.built:
        take_screenshots(arguments)
        return
    if not arguments.built:
        subprocess.run([sys.executable, "-c", _BUILD], check=True, cwd=ROOT)
    scales = (DOCS_SCALE,) if arguments.docs else SCALES
    for scale in (arguments.scale,) if arguments.scale else scales:
        for language in (arguments.language,) if arguments.language else LANGUAGES:
            _in_subprocess(scale, language)


_BUILD = (
    "import sys; from pathlib import Path; sys.path[:0] = ['packaging', '.'];"
    f"import demo_data; demo_data.build(Path({str(FOLDER)!r}))"
)


def _in_subprocess(scale: str, language: str) -> None:
    """In a process of its own: Qt reads the scale once, at its start."""
    options = ["--scale", scale, "--language", language, "--built"]
    command = [sys.executable, __file__, *sys.argv[1:], *options]
    subprocess.run(command, check=True, env={**os.environ, "QT_SCALE_FACTOR": scale})


def take_screenshots(arguments: argparse.Namespace) -> None:
    """`name-mode.png`, `name-mode-ja.png`; with the scale, unless for the documentation."""
    language = "" if arguments.language == "en" else f"-{arguments.language}"
    scale = "" if arguments.docs else f"@{arguments.scale}x"
    for name, mode, picture in pictures(arguments.language, arguments.only):
        small_png.save(picture, arguments.outdir / f"{name}-{mode}{language}{scale}.png")


def pictures(language: str, only: str) -> Iterator[tuple[str, Mode, QPixmap]]:
    app = QApplication([])
    translator = Language(app)
    translator.use(language)
    look = theme()
    look.apply(app)
    loop: asyncio.AbstractEventLoop = QEventLoop(app, already_running=True)
    asyncio.set_event_loop(loop)
    modes: tuple[Mode, ...] = ("light", "dark")
    for mode in modes:
        look.set_mode(mode)
        with running_demo(FOLDER) as demo:
            for name, picture in _grabbed(demo, only):
                yield name, mode, picture


def _grabbed(demo: Demo, only: str) -> Iterator[tuple[str, QPixmap]]:
    for screens in (window_screens, dialog_screens):
        for name, widget in screens(demo):
            if only in name:
                yield name, settled(widget).grab()
            widget.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


if __name__ == "__main__":
    main()
