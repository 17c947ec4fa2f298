"""Builds indexes incrementally: tokenized per server, grouped into blocks of servers, and the
blocks of a set of tools combined into a `ToolIndex`.

The indexed tools of a server are kept while recent indexes use them, so a change of one server
indexes that server only.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias
from weakref import WeakValueDictionary
from zlib import crc32

import numpy as np

from router.domain.ids import ServerId
from router.domain.tools import Tool
from router.search.index.arrays import Float32Array
from router.search.index.bm25_index import BM25Index
from router.search.index.embedding_index import EmbeddingBlock, EmbeddingIndex
from router.search.index.embeddings import WordEmbeddings, word_embeddings
from router.search.index.gil_throttle import throttled_batches
from router.search.index.postings import Postings, build_postings
from router.search.index.segments import Segment, Vocabulary, tokenize_tools
from router.search.index.tool_document import IndexedField, field_texts
from router.search.index.tool_index import ToolIndex
from router.search.text.spelling import SpellingIndex

_EMBEDDING_WEIGHTS = {
    IndexedField.NAME: 1.0,
    IndexedField.SERVER: 0.5,
    IndexedField.TITLE: 0.5,
    IndexedField.DESCRIPTION: 1.0,
    IndexedField.PARAMETERS: 0.2,
}
_EMBEDDED_CHARACTERS = 400
"""The first sentences of a description say what a tool is for; the rest is detail."""

_TOOLS_PER_STEP = 64
_BLOCK = 1_000
"""The minimum number of tools in a block; about half of the average."""
_LARGE_BLOCK = 4_000
_LARGE = 20_000
"""Catalogs beyond this size have large blocks, since every block costs time in a search."""

_RECENT = 16
"""How many indexes keep their blocks alive, for the next to reuse."""

_Identity: TypeAlias = tuple[int, ...]
"""The ids of the objects that something was built from, which it keeps alive."""

_vocabulary = Vocabulary()
_spelling = SpellingIndex(_vocabulary.ids)


@dataclass(frozen=True, eq=False)
class ServerTools:
    """The indexed tools of one server; embeddings are computed when first needed."""

    segment: Segment

    @cached_property
    def embeddings(self) -> Float32Array:
        return embed_tools(self.segment.tools, word_embeddings())

    @cached_property
    def checksum(self) -> int:
        return crc32(self.segment.tools[0].key.server.encode())

    def begins_block(self, min_size: int) -> bool:
        """Depends on the server alone: with a `min_size` of a thousand, one in twenty of the
        servers with fifty tools begins a block."""
        return self.checksum % min_size < len(self.segment.tools)


@dataclass(frozen=True, eq=False)
class IndexBlock:
    """A group of servers. A search reads a few large blocks, since each has a fixed cost; a change
    rebuilds one of them, since building costs time by size."""

    parts: Sequence[ServerTools]

    @cached_property
    def postings(self) -> Postings:
        return build_postings([part.segment for part in self.parts])

    @cached_property
    def embeddings(self) -> EmbeddingBlock:
        block = EmbeddingBlock([part.embeddings for part in self.parts])
        end = 0
        for part in self.parts:  # They are kept once: as views of the block's rows.
            start, end = end, end + len(part.segment.tools)
            vars(part)["embeddings"] = block.rows[start:end]
        return block


class IndexBuilder:
    def __init__(self) -> None:
        self._servers: WeakValueDictionary[_Identity, ServerTools] = WeakValueDictionary()
        self._blocks: WeakValueDictionary[_Identity, IndexBlock] = WeakValueDictionary()
        self._recent: deque[Sequence[IndexBlock]] = deque(maxlen=_RECENT)

    def build(self, tools: Sequence[Tool], *, embeddings: bool) -> ToolIndex:
        by_server: dict[ServerId, list[Tool]] = defaultdict(list)
        for tool in tools:
            by_server[tool.key.server].append(tool)
        servers = [self._server(by_server[server]) for server in sorted(by_server)]
        blocks = [self._block(group) for group in in_blocks(servers)]
        self._recent.append(blocks)
        return build_index(blocks, embeddings=embeddings)

    def _server(self, tools: Sequence[Tool]) -> ServerTools:
        key = tuple(map(id, tools))
        if (server := self._servers.get(key)) is None:
            in_order = sorted(tools, key=lambda tool: tool.key)
            server = self._servers[key] = index_server(in_order)
        return server

    def _block(self, servers: Sequence[ServerTools]) -> IndexBlock:
        key = tuple(map(id, servers))
        if (block := self._blocks.get(key)) is None:
            block = self._blocks[key] = IndexBlock(servers)
        return block


def index_server(tools: Sequence[Tool]) -> ServerTools:
    return ServerTools(tokenize_tools(tools, _vocabulary))


def in_blocks(parts: Sequence[ServerTools]) -> list[list[ServerTools]]:
    """Servers in their order, divided where a server begins a block and not where a count is
    reached: adding or removing one changes its own block and hardly ever another."""
    blocks: list[list[ServerTools]] = []
    count = sum(len(part.segment.tools) for part in parts)
    size = min_size = _BLOCK if count <= _LARGE else _LARGE_BLOCK
    for part in parts:
        if size >= min_size and (part.begins_block(min_size) or not blocks):
            blocks.append([])
            size = 0
        blocks[-1].append(part)
        size += len(part.segment.tools)
    return blocks


def build_index(blocks: Sequence[IndexBlock], *, embeddings: bool) -> ToolIndex:
    """The index of all tools in `blocks`. Raises `OSError` or `ValueError` if embeddings are wanted
    and can't be loaded."""
    segments = [part.segment for block in blocks for part in block.parts]
    bm25 = BM25Index([block.postings for block in blocks], _vocabulary)
    dense = None
    if embeddings:
        dense = EmbeddingIndex(word_embeddings(), [block.embeddings for block in blocks])
    return ToolIndex(segments, bm25, _spelling, dense)


def embed_tools(tools: Sequence[Tool], model: WordEmbeddings) -> Float32Array:
    """A row for each tool. A few tools at a time: their word vectors stay in the processor's cache,
    and no step is long enough to block other threads."""
    texts = [[text[:_EMBEDDED_CHARACTERS] for text in field_texts(tool)] for tool in tools]
    weights = [_EMBEDDING_WEIGHTS[field] for field in IndexedField]
    batches = throttled_batches(texts, _TOOLS_PER_STEP)
    return np.concatenate([model.embed_fields(batch, weights) for batch in batches])
