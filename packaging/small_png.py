"""Pictures of the window as small files: 256 colours do for flat areas and smoothed text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage, QPixmap

_COLOURS = 256
_EVERY = 1 << 24
_OPAQUE = 0xFF000000


def save(picture: QPixmap, path: Path) -> None:
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
    width, height = image.width(), image.height()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(height, -1)[:, :width]
    pixels = pixels & (_EVERY - 1)  # without what would be the alpha
    counts = np.bincount(pixels.ravel(), minlength=_EVERY)
    found = np.flatnonzero(counts)
    kept = found[np.argsort(counts[found])[::-1][:_COLOURS]]
    positions = np.zeros(_EVERY, np.uint8)
    positions[found] = _nearest(found, kept)
    indexes = positions[pixels]
    small = QImage(indexes.tobytes(), width, height, width, QImage.Format.Format_Indexed8)
    small.setColorTable([_OPAQUE | int(colour) for colour in kept])
    small.save(str(path))


def _nearest(colours: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """For each of `colours` the position of the most similar of `kept`."""
    palette = _channels(kept)
    return np.array([np.argmin(((palette - each) ** 2).sum(axis=1)) for each in _channels(colours)])


def _channels(colours: np.ndarray) -> np.ndarray:
    return np.stack([(colours >> shift) & 255 for shift in (16, 8, 0)], axis=1).astype(np.int32)
