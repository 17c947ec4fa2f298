"""The postings of several servers' tools by token, so that what a query asks for lies together.

They say what stands where, and nothing that depends on the tools of other servers: made once for
servers that are searched together, they are part of every index that has those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from router.search.documents import Field
from router.search.segments import Ints, Segment

Numbers: TypeAlias = NDArray[np.int64]
Floats32: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Postings:
    """Parallel arrays, sorted by token, with a row for each token of each tool, and a second one if
    the token is in the tool's own name: so words and names are summed at one go."""

    count: int
    """How many tools there are."""
    starts: Numbers
    """Where each token's rows begin, and where the last one's end."""
    frequencies: Numbers
    """How many tools have each token."""
    documents: Ints
    """Which tool each row is about; for the second rows, of names, `count` more."""
    places: Ints
    """Which field of which tool, as a place in `lengths` read row by row."""
    times: Floats32
    """How often the token stands there."""
    again: tuple[Numbers, Ints, Floats32]
    """For tokens that stand in further fields of the same tool: row, place, times."""
    named: tuple[Numbers, Ints, Ints]
    """Which are the second rows, with their tokens and tools."""
    lengths: Ints
    """How many tokens each field of each tool has."""

    def rows(self, token: int) -> slice:
        if token >= len(self.frequencies):
            return slice(0)  # A word that other tools brought later.
        return slice(self.starts[token], self.starts[token + 1])


def postings_of(segments: Sequence[Segment]) -> Postings:
    """Of all segments together, their tools numbered one after the other."""
    width = np.int32(segments[0].lengths.shape[1])
    count = sum(len(each.tools) for each in segments)
    tokens, places, times, again = _in_a_row(segments, width)
    names = np.flatnonzero(places % width == Field.NAME)
    source = np.concatenate((np.arange(len(tokens)), names))
    # The segments are sorted already: a stable sort only has to merge them.
    order = tokens[source].argsort(kind="stable")
    row_of = np.empty_like(order)
    row_of[order] = np.arange(len(order))
    source, second = source[order], row_of[len(tokens) :]
    documents = places[source] // width
    documents[second] += count
    return Postings(
        count=count,
        starts=np.concatenate(([0], np.cumsum(np.bincount(tokens[source])))),
        frequencies=np.bincount(tokens),
        documents=documents,
        places=places[source],
        times=times[source],
        again=(row_of[again[0]], again[1], again[2]),
        named=(second, tokens[names], places[names] // width),
        lengths=np.concatenate([each.lengths for each in segments]),
    )


def _in_a_row(
    segments: Sequence[Segment], width: np.int32
) -> tuple[Ints, Ints, Floats32, tuple[Ints, Ints, Floats32]]:
    """Tokens, places and times of all postings, one segment after the other, and those in further
    fields."""
    tools = np.cumsum([0, *(len(each.tools) for each in segments)], dtype=np.int32)
    postings = np.cumsum([0, *(len(each.tokens) for each in segments)], dtype=np.int32)
    at = list(zip(segments, width * tools[:-1], postings[:-1], strict=True))
    return (
        np.concatenate([each.tokens for each in segments]),
        np.concatenate([each.places + place for each, place, _ in at]),
        np.concatenate([each.times for each in segments]),
        (
            np.concatenate([each.again[0] + posting for each, _, posting in at]),
            np.concatenate([each.again[1] + place for each, place, _ in at]),
            np.concatenate([each.again[2] for each in segments]),
        ),
    )
