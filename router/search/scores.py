"""Arithmetic on scores that several stages share: hybrid score, maximum, top k."""

from __future__ import annotations

import numpy as np

from router.search.index.arrays import Float32Array, Float64Array, Int64Array

DENSE_WEIGHT = 0.55
"""The share of embedding similarity in a hybrid score; the rest is lexical."""


def hybrid_scores(lexical: Float64Array, similarities: Float32Array) -> Float64Array:
    """The weighted sum, each on a scale to 1. Scores rather than ranks are summed, since it matters
    how far ahead a tool is. A negative similarity is as bad as none."""
    dense = np.maximum(similarities, 0)
    total = lexical * ((1 - DENSE_WEIGHT) / maximum(lexical))
    total += np.multiply(dense, DENSE_WEIGHT / maximum(dense), dtype=np.float64)
    return total


def maximum(scores: Float64Array | Float32Array) -> float:
    """The largest score; 1 where nothing was found, so that it can be divided by."""
    return float(scores[scores.argmax()]) or 1.0


def top_k(scores: Float64Array, count: int) -> Int64Array:
    """The positions of the highest positive scores, best first, ties in the order of position."""
    # Without the zeros, of which there are many: to partition them takes ten times as long.
    positions = (scores > 0).nonzero()[0]
    values = scores[positions]
    if len(values) > count:
        chosen = values >= np.partition(values, -count)[-count]
        positions, values = positions[chosen], values[chosen]
    return positions[(-values).argsort(kind="stable")[:count]]
