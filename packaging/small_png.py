"""Screenshots as small PNG files: 256 colours are enough for flat areas and antialiased text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage, QPixmap

_COLOURS = 256
_FLAT = 48
_MIN_DISTANCES = (1200, 400, 150, 50, 0)
"""How far a colour must be from all chosen ones, in each pass."""
_ALL_COLOURS = 1 << 24
_OPAQUE = 0xFF000000


def save(picture: QPixmap, path: Path) -> None:
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
    width, height = image.width(), image.height()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(height, -1)[:, :width]
    pixels = pixels & (_ALL_COLOURS - 1)  # without the alpha channel
    counts = np.bincount(pixels.ravel(), minlength=_ALL_COLOURS)
    found = np.flatnonzero(counts)
    kept = _chosen(found[np.argsort(counts[found])[::-1]])
    positions = np.zeros(_ALL_COLOURS, np.uint8)
    positions[found] = _nearest(found, kept)
    indexes = positions[pixels]
    small = QImage(indexes.tobytes(), width, height, width, QImage.Format.Format_Indexed8)
    small.setColorTable([_OPAQUE | int(colour) for colour in kept])
    small.save(str(path))


def _chosen(frequent: np.ndarray) -> np.ndarray:
    """The colours of flat areas as they are; then the most frequent of those that are unlike all
    chosen ones: a small green mark matters more than one more shade of grey."""
    colours = _channels(frequent)
    kept = list(range(min(_FLAT, len(colours))))
    distances = np.min([((colours - each) ** 2).sum(axis=1) for each in colours[kept]], axis=0)
    for distance in _MIN_DISTANCES:
        while len(kept) < _COLOURS and distances.max() > distance:
            position = int(np.argmax(distances > distance))
            kept.append(position)
            distances = np.minimum(distances, ((colours - colours[position]) ** 2).sum(axis=1))
    return frequent[kept]


def _nearest(colours: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """For each of `colours` the position of the most similar of `kept`."""
    palette = _channels(kept)
    return np.array([np.argmin(((palette - each) ** 2).sum(axis=1)) for each in _channels(colours)])


def _channels(colours: np.ndarray) -> np.ndarray:
    return np.stack([(colours >> shift) & 255 for shift in (16, 8, 0)], axis=1).astype(np.int32)
