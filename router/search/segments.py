"""The searchable form of one server's tools, made once and used in every index that has them.

Reading texts is what costs. So a change of one server costs that server's texts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from router.domain.tools import Tool
from router.search.considerate import considerate
from router.search.documents import Field, field_texts, is_deprecated
from router.search.duplicates import likeness
from router.search.tokens import tokens_of, words

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

_MAX_WORDS_READ = 200_000
_AT_ONCE = 16


class Vocabulary:
    """Numbers for tokens, shared by all segments. Grows only, so that a number stays true."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._read: dict[str, tuple[int, ...]] = {}

    def number(self, token: str) -> int:
        return self.numbers.setdefault(token, len(self.numbers))

    def read(self, text: str) -> list[int]:
        """The numbers of a text's tokens, repeats kept."""
        if len(self._read) > _MAX_WORDS_READ:
            self._read.clear()
        result: list[int] = []
        for word in words(text):
            if (known := self._read.get(word)) is None:
                known = self._read[word] = tuple(map(self.number, tokens_of(word)))
            result += known
        return result


@dataclass(frozen=True, slots=True)
class Segment:
    """Some tools and their postings, one for each token of each tool: parallel arrays, sorted by
    token, then by tool."""

    tools: tuple[Tool, ...]
    tokens: Ints
    places: Ints
    """Which field of which tool each is about, as a place in `lengths` read row by row."""
    times: NDArray[np.float32]
    """How often it stands there."""
    again: tuple[Ints, Ints, NDArray[np.float32]]
    """For tokens that stand in further fields of the same tool: posting, place, times."""
    lengths: Ints
    """How many tokens each field of each tool has."""
    deprecated: NDArray[np.bool_]
    """Which tools say that another should be used."""
    likenesses: NDArray[np.int64]
    """The same number for tools that are the same, whichever segment they are in."""


def segment(tools: Sequence[Tool], vocabulary: Vocabulary) -> Segment:
    few = (tools[at : at + _AT_ONCE] for at in considerate(range(0, len(tools), _AT_ONCE)))
    read = [[vocabulary.read(text) for text in field_texts(tool)] for some in few for tool in some]
    return segment_of(tools, read)


def segment_of(tools: Sequence[Tool], read: Sequence[Sequence[Sequence[int]]]) -> Segment:
    """A segment of tools whose fields are given as numbers of tokens."""
    width = len(read[0]) if read else len(Field)
    lengths = np.array([[len(part) for part in fields] for fields in read], dtype=np.int32)
    lengths = lengths.reshape(-1, width)
    flat = [number for fields in read for part in fields for number in part]
    tokens = np.array(flat, dtype=np.int64)
    place = np.repeat(np.arange(lengths.size), lengths.ravel())
    # One number for each token in each field of each tool: sorted by token, then tool, then field.
    each, counts = np.unique(tokens * max(lengths.size, 1) + place, return_counts=True)
    token, place = np.divmod(each, max(lengths.size, 1))
    document = place // width
    first = np.ones(len(each), dtype=np.bool_)
    first[1:] = (token[1:] != token[:-1]) | (document[1:] != document[:-1])
    posting, more = np.cumsum(first) - 1, ~first
    places, times = place.astype(np.int32), counts.astype(np.float32)
    return Segment(
        tools=tuple(tools),
        tokens=token[first].astype(np.int32),
        places=places[first],
        times=times[first],
        again=(posting[more].astype(np.int32), places[more], times[more]),
        lengths=lengths,
        deprecated=np.array([is_deprecated(tool) for tool in tools], dtype=np.bool_),
        likenesses=np.array([likeness(tool) for tool in tools], dtype=np.int64),
    )
