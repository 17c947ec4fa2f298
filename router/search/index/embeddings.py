"""Text embeddings: the sum of a text's word vectors from a small table.

The table was distilled from a sentence model (see `packaging/embedding_distillation.py`), so that
texts of similar meaning have similar vectors whatever words they use. It has about 30,000 English
words and subwords; other words add nothing. It is loaded when the first hybrid search needs it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

import resources
from router.search.index.arrays import Float32Array
from router.search.text.tokenizer import split_words

_CONTINUATION = "##"
_MIN_SUBWORD = 2
_MAX_CACHED_WORDS = 50_000


class WordEmbeddings:
    def __init__(
        self, words: Sequence[str], vectors: NDArray[np.int8], scales: Float32Array
    ) -> None:
        """A quantized vector for each word, and the scale to multiply it by."""
        self.words = words
        self._rows = {word: row for row, word in enumerate(words)}
        self._vectors = vectors
        self._scales = scales
        self._subwords = lru_cache(_MAX_CACHED_WORDS)(self._split)

    @property
    def dimensions(self) -> int:
        return self._vectors.shape[1]

    def embed(self, words: Iterable[str]) -> Float32Array:
        """The unit vector of some words; zero if none is known."""
        rows = self._word_rows(words)
        vectors = self._vectors.take(rows, axis=0) * self._scales.take(rows)[:, None]
        total = np.add.reduce(vectors)
        return total / np.float32(math.sqrt(total.dot(total)) or 1.0)

    def embed_fields(
        self, documents: Sequence[Sequence[str]], weights: Sequence[float]
    ) -> Float32Array:
        """A row with the unit vector of each document, whose fields have the given weights."""
        rows = [self.rows(text) for fields in documents for text in fields]
        sums = self._sums(rows).reshape(len(documents), len(weights), self.dimensions)
        return _normalized(np.einsum("tfw,f->tw", sums, np.array(weights, dtype=np.float32)))

    def rows(self, text: str) -> list[int]:
        """The rows of a text's words and subwords."""
        return self._word_rows(split_words(text))

    def _word_rows(self, words: Iterable[str]) -> list[int]:
        result: list[int] = []
        for word in words:
            result += self._subwords(word)
        return result

    def _sums(self, texts: Sequence[Sequence[int]]) -> Float32Array:
        """The sum of the vectors of each text, all texts at once: one by one would take most of the
        time of indexing a server."""
        sums: Float32Array = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        filled = [at for at, rows in enumerate(texts) if rows]
        if filled:
            flat = np.array([row for rows in texts for row in rows])
            starts = np.cumsum([0, *(len(texts[at]) for at in filled[:-1])])
            vectors = self._vectors[flat] * self._scales[flat, None]
            sums[filled] = np.add.reduceat(vectors, starts)
        return sums

    def _split(self, word: str) -> Sequence[int]:
        """The row of the word, or of its longest known subwords from left to right; nothing if they
        don't cover it."""
        if (whole := self._rows.get(word)) is not None:
            return [whole]
        parts: list[int] = []
        at = 0
        while at < len(word):
            prefix = _CONTINUATION if at else ""
            for end in range(len(word), at + _MIN_SUBWORD - 1, -1):
                if (row := self._rows.get(prefix + word[at:end])) is not None:
                    parts.append(row)
                    at = end
                    break
            else:
                return []
        return parts


def _normalized(vectors: Float32Array) -> Float32Array:
    """Each row with length 1; rows of zeros stay."""
    lengths = np.sqrt(np.einsum("tw,tw->t", vectors, vectors))
    return np.divide(vectors, np.where(lengths > 0, lengths, 1)[:, None], dtype=np.float32)


@cache
def word_embeddings() -> WordEmbeddings:
    """The table that ships with Toolbooth."""
    words = resources.read_text("embeddings", "words.txt").split("\n")
    folder = resources.folder("embeddings")
    vectors: NDArray[np.int8] = np.load(folder / "vectors.npy", allow_pickle=False)
    scales = np.load(folder / "scales.npy", allow_pickle=False).astype(np.float32)
    return WordEmbeddings(words, vectors, scales)
