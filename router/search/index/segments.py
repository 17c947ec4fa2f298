"""Segments of the inverted index: one server's tools, tokenized and counted once.

Reading texts is the expensive part of indexing. A segment is reused by every index that contains
its server, so a change of one server costs that server's texts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from router.domain.tools import Tool
from router.search.index.arrays import BoolArray, Float32Array, Int32Array, Int64Array
from router.search.index.gil_throttle import throttled_batches
from router.search.index.tool_document import field_texts, fingerprint, is_deprecated
from router.search.text.tokenizer import split_words, word_tokens

_MAX_CACHED_WORDS = 200_000
_TOOLS_PER_STEP = 16


class Vocabulary:
    """Token ids, shared by all segments. It only grows, so an id never changes."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}
        self._cached: dict[str, tuple[int, ...]] = {}

    def id_of(self, token: str) -> int:
        """The token's id; a new token gets the next one."""
        return self.ids.setdefault(token, len(self.ids))

    def encode(self, text: str) -> list[int]:
        """The ids of a text's tokens, repeats kept."""
        if len(self._cached) > _MAX_CACHED_WORDS:
            self._cached.clear()
        result: list[int] = []
        for word in split_words(text):
            if (known := self._cached.get(word)) is None:
                known = self._cached[word] = tuple(map(self.id_of, word_tokens(word)))
            result += known
        return result


class RepeatedPostings(NamedTuple):
    """For tokens that are in several fields of one tool: the fields after the first."""

    postings: Int32Array
    """Which posting of the segment each belongs to."""
    fields: Int32Array
    frequencies: Float32Array


@dataclass(frozen=True, slots=True)
class Segment:
    """Tools and their postings, one for each token of each tool: parallel arrays, sorted by token,
    then by tool."""

    tools: tuple[Tool, ...]
    tokens: Int32Array
    fields: Int32Array
    """The field of the tool that has the token, as an index into the flattened `lengths`."""
    frequencies: Float32Array
    """How often the field has the token."""
    repeated: RepeatedPostings
    lengths: Int32Array
    """How many tokens each field of each tool has: a row per tool, a column per field."""
    deprecated: BoolArray
    fingerprints: Int64Array
    """Equal for duplicates, whichever segment they are in."""


def tokenize_tools(tools: Sequence[Tool], vocabulary: Vocabulary) -> Segment:
    encoded = [
        [vocabulary.encode(text) for text in field_texts(tool)]
        for batch in throttled_batches(tools, _TOOLS_PER_STEP)
        for tool in batch
    ]
    return build_segment(tools, encoded)


def build_segment(tools: Sequence[Tool], encoded: Sequence[Sequence[Sequence[int]]]) -> Segment:
    """A segment of at least one tool; the fields of each are given as token ids."""
    lengths = np.array([[len(ids) for ids in fields] for fields in encoded], dtype=np.int32)
    flat = [token for fields in encoded for ids in fields for token in ids]
    tokens = np.array(flat, dtype=np.int64)
    field = np.repeat(np.arange(lengths.size), lengths.ravel())
    # One key for each token in each field of each tool: sorted by token, then tool, then field.
    keys, counts = np.unique(tokens * lengths.size + field, return_counts=True)
    token, field = np.divmod(keys, lengths.size)
    document = field // lengths.shape[1]
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = (token[1:] != token[:-1]) | (document[1:] != document[:-1])
    posting, again = np.cumsum(first) - 1, ~first
    fields, frequencies = field.astype(np.int32), counts.astype(np.float32)
    return Segment(
        tools=tuple(tools),
        tokens=token[first].astype(np.int32),
        fields=fields[first],
        frequencies=frequencies[first],
        repeated=RepeatedPostings(
            posting[again].astype(np.int32), fields[again], frequencies[again]
        ),
        lengths=lengths,
        deprecated=np.array([is_deprecated(tool) for tool in tools], dtype=np.bool_),
        fingerprints=np.array([fingerprint(tool) for tool in tools], dtype=np.int64),
    )
