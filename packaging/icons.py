"""`icons.py FOLDER`: draws the application's icon in the formats of Windows and macOS."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

LOGO = Path(__file__).resolve().parent.parent / "resources" / "logo.svg"
SIZES = {"toolbooth.ico": 256, "toolbooth.icns": 1024, "toolbooth.png": 512}


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the application's icon.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in SIZES.items():
        if not draw(size).save(str(folder / name)):
            sys.exit(f"{name} could not be written.")


def draw(size: int) -> QImage:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(LOGO)).render(painter)
    painter.end()
    return image


if __name__ == "__main__":
    main()
