"""How indexes are built from the tools of servers."""

from __future__ import annotations

import numpy as np

from router.catalog.tool_definition import read_tool
from router.domain.ids import ServerId
from router.search.index.index_builder import IndexBlock, index_server


def test_embeddings_are_kept_once() -> None:
    parts = [
        index_server([read_tool(ServerId(server), server, {"name": name}) for name in names])
        for server, names in (("a", ["read_file", "write_file"]), ("b", ["search_issues"]))
    ]
    alone = [part.embeddings.copy() for part in parts]
    block = IndexBlock(parts)
    assert np.array_equal(block.embeddings.rows, np.concatenate(alone))
    for part, rows in zip(parts, alone, strict=True):
        assert np.shares_memory(part.embeddings, block.embeddings.rows)
        assert np.array_equal(part.embeddings, rows)
    # The parts are used again by another block.
    assert np.array_equal(IndexBlock(parts[1:]).embeddings.rows, alone[1])
