"""Tools as a ranking needs them: read once per server, put together per index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from router.model import Tool
from router.search.considerate import considerate
from router.search.directions import Directions
from router.search.documents import Field, field_texts
from router.search.meaning import MeaningTable, Vectors, meaning_table
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

_vocabulary = Vocabulary()
_typos = Typos(_vocabulary.numbers)


@dataclass(frozen=True)
class ReadTools:
    """What was read of one server's tools; their meaning when first asked for."""

    segment: Segment

    @cached_property
    def directions(self) -> Vectors:
        return directions_of(self.segment.tools, meaning_table())


def read_tools(tools: Sequence[Tool]) -> ReadTools:
    return ReadTools(segment(tools, _vocabulary))


def ranking(parts: Sequence[ReadTools], *, meaning: bool) -> Ranking:
    """A ranking of all tools in `parts`. Raises `OSError` or `ValueError` if the meaning model is
    wanted and can't be read."""
    segments = [part.segment for part in parts]
    if not meaning:
        return Ranking(segments, _vocabulary, _typos)
    directions = Directions(meaning_table(), [part.directions for part in parts])
    return Ranking(segments, _vocabulary, _typos, directions)


def directions_of(tools: Sequence[Tool], table: MeaningTable) -> Vectors:
    """Where each tool's definition points. Some tools at a time: their words' rows stay in the
    processor's cache, and no step is so long that it would hold up the other threads."""
    texts = [[text[:_MEANING_CHARACTERS] for text in field_texts(tool)] for tool in tools]
    weights = [_MEANING_WEIGHTS[field] for field in Field]
    begins = considerate(range(0, max(len(texts), 1), _TOOLS_AT_ONCE))
    return np.concatenate([table.blends(texts[at : at + _TOOLS_AT_ONCE], weights) for at in begins])
