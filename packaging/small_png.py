"""Screenshots as small PNG files: 256 colours are enough for flat areas and antialiased text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage, QPixmap

_COLOURS = 256
_FLAT = 48
_UNLIKE = (1200, 400, 150, 50, 0)
"""How far from all that is kept a colour must be, round by round."""
_EVERY = 1 << 24
_OPAQUE = 0xFF000000


def save(picture: QPixmap, path: Path) -> None:
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
    width, height = image.width(), image.height()
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(height, -1)[:, :width]
    pixels = pixels & (_EVERY - 1)  # without what would be the alpha
    counts = np.bincount(pixels.ravel(), minlength=_EVERY)
    found = np.flatnonzero(counts)
    kept = _chosen(found[np.argsort(counts[found])[::-1]])
    positions = np.zeros(_EVERY, np.uint8)
    positions[found] = _nearest(found, kept)
    indexes = positions[pixels]
    small = QImage(indexes.tobytes(), width, height, width, QImage.Format.Format_Indexed8)
    small.setColorTable([_OPAQUE | int(colour) for colour in kept])
    small.save(str(path))


def _chosen(frequent: np.ndarray) -> np.ndarray:
    """The colours of flat areas as they are; then, of those unlike any that is kept, the most
    frequent: a small green mark is worth more than one more shade of grey."""
    every = _channels(frequent)
    kept = list(range(min(_FLAT, len(every))))
    distances = np.min([((every - every[place]) ** 2).sum(axis=1) for place in kept], axis=0)
    for unlike in _UNLIKE:
        while len(kept) < _COLOURS and distances.max() > unlike:
            place = int(np.argmax(distances > unlike))
            kept.append(place)
            distances = np.minimum(distances, ((every - every[place]) ** 2).sum(axis=1))
    return frequent[kept]


def _nearest(colours: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """For each of `colours` the position of the most similar of `kept`."""
    palette = _channels(kept)
    return np.array([np.argmin(((palette - each) ** 2).sum(axis=1)) for each in _channels(colours)])


def _channels(colours: np.ndarray) -> np.ndarray:
    return np.stack([(colours >> shift) & 255 for shift in (16, 8, 0)], axis=1).astype(np.int32)
