"""Tools as a ranking needs them: read once per server, put together in blocks of servers, and those
per index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

import numpy as np

from router.domain.tools import Tool
from router.search.considerate import considerate
from router.search.directions import Directions, Pointers
from router.search.documents import Field, field_texts
from router.search.lexical import LexicalIndex
from router.search.meaning import MeaningTable, Vectors, meaning_table
from router.search.postings import Postings, postings_of
from router.search.ranking import Ranking
from router.search.segments import Segment, Vocabulary, segment
from router.search.typos import Typos

_MEANING_WEIGHTS = {
    Field.NAME: 1.0,
    Field.SERVER: 0.5,
    Field.TITLE: 0.5,
    Field.DESCRIPTION: 1.0,
    Field.PARAMETERS: 0.2,
}
_MEANING_CHARACTERS = 400
"""The first sentences of a description say what a tool is for; the rest is detail."""

_TOOLS_AT_ONCE = 64
_BLOCK = 1_000
"""A block has at least so many tools, and about twice as many on average."""
_LARGE_BLOCK = 4_000
_LARGE = 20_000
"""In catalogues beyond this size blocks are large: else there would be too many to look at."""

_vocabulary = Vocabulary()
_typos = Typos(_vocabulary.numbers)


@dataclass(frozen=True, eq=False)
class ReadTools:
    """What was read of one server's tools; their meaning when first asked for."""

    segment: Segment

    @cached_property
    def directions(self) -> Vectors:
        return directions_of(self.segment.tools, meaning_table())

    @cached_property
    def checksum(self) -> int:
        return crc32(self.segment.tools[0].key.server.encode())

    def begins_block(self, least: int) -> bool:
        """Decided by the server alone: one in twenty of those with fifty tools, if a block has at
        `least` a thousand."""
        return self.checksum % least < len(self.segment.tools)


@dataclass(frozen=True, eq=False)
class Block:
    """Some servers side by side. A search looks at a few large blocks, since each takes its time;
    a change makes one of them anew, since its size takes time."""

    parts: Sequence[ReadTools]

    @cached_property
    def postings(self) -> Postings:
        return postings_of([part.segment for part in self.parts])

    @cached_property
    def pointers(self) -> Pointers:
        return Pointers([part.directions for part in self.parts])


def read_tools(tools: Sequence[Tool]) -> ReadTools:
    return ReadTools(segment(tools, _vocabulary))


def in_blocks(parts: Sequence[ReadTools]) -> list[list[ReadTools]]:
    """Servers in their order, parted where servers say so and not where a count is full: one that
    comes or goes changes the block it is in, and hardly ever another."""
    blocks: list[list[ReadTools]] = []
    count = sum(len(part.segment.tools) for part in parts)
    size = least = _BLOCK if count <= _LARGE else _LARGE_BLOCK
    for part in parts:
        if size >= least and (part.begins_block(least) or not blocks):
            blocks.append([])
            size = 0
        blocks[-1].append(part)
        size += len(part.segment.tools)
    return blocks


def ranking(blocks: Sequence[Block], *, meaning: bool) -> Ranking:
    """A ranking of all tools in `blocks`. Raises `OSError` or `ValueError` if the meaning model is
    wanted and can't be read."""
    segments = [part.segment for block in blocks for part in block.parts]
    postings = [block.postings for block in blocks]
    directions = None
    if meaning:
        directions = Directions(meaning_table(), [block.pointers for block in blocks])
    return Ranking(segments, LexicalIndex(postings, _vocabulary), _typos, directions)


def directions_of(tools: Sequence[Tool], table: MeaningTable) -> Vectors:
    """Where each tool's definition points. Some tools at a time: their words' rows stay in the
    processor's cache, and no step is so long that it would hold up the other threads."""
    texts = [[text[:_MEANING_CHARACTERS] for text in field_texts(tool)] for tool in tools]
    weights = [_MEANING_WEIGHTS[field] for field in Field]
    begins = considerate(range(0, max(len(texts), 1), _TOOLS_AT_ONCE))
    return np.concatenate([table.blends(texts[at : at + _TOOLS_AT_ONCE], weights) for at in begins])
