"""The meaning of a text as a vector: the sum of its words' vectors from a small table.

The table was distilled from a sentence model (see `packaging/meaning_table.py`), so that texts that
mean the same point the same way whatever words they use. It knows about 30,000 English words and
parts of words; others add nothing. It is read from disk when the first search by meaning asks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from router.search.tokens import words

Vectors: TypeAlias = NDArray[np.float32]
_PART = "##"
_MIN_PART = 2


class MeaningTable:
    def __init__(
        self, known: Sequence[str], rows: NDArray[np.int8], scales: NDArray[np.float32]
    ) -> None:
        self.words = known
        self._numbers = {word: number for number, word in enumerate(known)}
        self._rows = rows
        self._scales = scales
        self._read: dict[str, tuple[int, ...]] = {}

    @property
    def width(self) -> int:
        return self._rows.shape[1]

    def vector(self, found: Iterable[str]) -> Vectors:
        """The direction in which some words point; zero if none is known."""
        numbers = self._numbers_of(found)
        rows = self._rows.take(numbers, axis=0) * self._scales.take(numbers)[:, None]
        total = np.add.reduce(rows)
        return total / np.float32(math.sqrt(total.dot(total)) or 1.0)

    def blends(self, texts: Sequence[Sequence[str]], weights: Sequence[float]) -> Vectors:
        """For each of some sequences of texts, a row with the direction of its texts together,
        the words of each with its own weight."""
        if not texts:
            return np.empty((0, self.width), dtype=np.float32)
        numbers = [self.numbers(text) for several in texts for text in several]
        single = self._sums(numbers).reshape(len(texts), len(weights), self.width)
        return _units(np.einsum("tfw,f->tw", single, np.array(weights, dtype=np.float32)))

    def numbers(self, text: str) -> list[int]:
        """The rows that a text's words and parts of words have in the table."""
        return self._numbers_of(words(text))

    def _numbers_of(self, found: Iterable[str]) -> list[int]:
        result: list[int] = []
        for word in found:
            if (known := self._read.get(word)) is None:
                known = self._parts(word)
            result += known
        return result

    def _sums(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """The sum of the rows of each text, many at once: one by one would take most of the time
        that reading a server takes."""
        sums: Vectors = np.zeros((len(texts), self.width), dtype=np.float32)
        filled = [at for at, numbers in enumerate(texts) if numbers]
        if filled:
            flat = np.array([number for numbers in texts for number in numbers])
            begins = np.cumsum([0, *(len(texts[at]) for at in filled[:-1])])
            rows = self._rows[flat] * self._scales[flat, None]
            sums[filled] = np.add.reduceat(rows, begins)
        return sums

    def _parts(self, word: str) -> tuple[int, ...]:
        if len(self._read) > 50_000:
            self._read.clear()
        parts = self._read[word] = tuple(self._split(word))
        return parts

    def _split(self, word: str) -> Iterable[int]:
        """The word, or the longest known parts from its beginning on; nothing if they don't fit."""
        if (whole := self._numbers.get(word)) is not None:
            return [whole]
        parts: list[int] = []
        at = 0
        while at < len(word):
            prefix = _PART if at else ""
            for end in range(len(word), at + _MIN_PART - 1, -1):
                if (number := self._numbers.get(prefix + word[at:end])) is not None:
                    parts.append(number)
                    at = end
                    break
            else:
                return []
        return parts


def _units(vectors: Vectors) -> Vectors:
    """Each row with length 1; one of zeros stays."""
    lengths = np.sqrt(np.einsum("tw,tw->t", vectors, vectors))
    return np.divide(vectors, np.where(lengths > 0, lengths, 1)[:, None], dtype=np.float32)


@cache
def meaning_table() -> MeaningTable:
    """The table that comes with Toolbooth."""
    folder = resources.files("resources") / "meaning"
    known = (folder / "words.txt").read_text(encoding="utf-8").split("\n")
    with (folder / "vectors.npy").open("rb") as file:
        rows: NDArray[np.int8] = np.load(file, allow_pickle=False)
    with (folder / "scales.npy").open("rb") as file:
        scales: NDArray[np.float32] = np.load(file, allow_pickle=False).astype(np.float32)
    return MeaningTable(known, rows, scales)
