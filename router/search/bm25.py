"""BM25 over tool definitions on an inverted index: built once per catalogue, looked up per query.

A tool is one bag of tokens in which a token counts by the field it stands in: the tool's own name
says more than a parameter's description.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from router.model import SearchHit, Tool, as_object
from router.search.tokens import tokenize, tokens_and_words

K1 = 1.5
B = 0.75
_FIELD_WEIGHTS = {"name": 3.0, "server": 1.5, "title": 2.0, "description": 1.0, "parameters": 0.5}
_MAX_EXPLAINED_WORDS = 4


class InvertedIndex:
    """Scores documents, given as weighted token counts, against query tokens."""

    def __init__(self, documents: Sequence[Mapping[str, float]]) -> None:
        lengths = [sum(document.values()) for document in documents]
        average = sum(lengths) / len(lengths) if lengths else 0.0
        self._count = len(documents)
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, document in enumerate(documents):
            norm = K1 * (1 - B + B * lengths[number] / average) if average else K1
            for token, frequency in document.items():
                gain = frequency * (K1 + 1) / (frequency + norm)
                self._postings[token].append((number, gain))

    def idf(self, token: str) -> float:
        """How telling a token is; never negative, so that tiny catalogues rank too."""
        containing = len(self._postings.get(token, ()))
        return math.log(1 + (self._count - containing + 0.5) / (containing + 0.5))

    def scores(self, tokens: Iterable[str]) -> dict[int, float]:
        """The score of each document that has any of `tokens`."""
        scores: dict[int, float] = defaultdict(float)
        for token in tokens:
            if postings := self._postings.get(token):
                idf = self.idf(token)
                for number, gain in postings:
                    scores[number] += idf * gain
        return scores

    def ceiling(self, tokens: Iterable[str]) -> float:
        """The score no document can reach: what makes scores of two queries comparable."""
        return sum(self.idf(token) * (K1 + 1) for token in tokens)


@dataclass(frozen=True, slots=True)
class Bm25Provider:
    """The `bm25` strategy."""

    def index(self, tools: Sequence[Tool]) -> Bm25Index:
        return Bm25Index(tools)


class Bm25Index:
    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tuple(tools)
        self._bags = [_bag(tool) for tool in self._tools]
        self._index = InvertedIndex(self._bags)

    def search(self, queries: Sequence[str], limit: int) -> list[SearchHit]:
        """The best tools: each is as relevant as its best query finds it, so that a task that needs
        three tools gets all three; all queries together break ties."""
        joined = self._relevances(" ".join(queries))
        best = dict.fromkeys(joined, 0.0)
        for query in queries:
            for number, relevance in self._relevances(query).items():
                best[number] = max(best[number], relevance)
        order = sorted(best, key=lambda n: (-best[n], -joined[n], self._tools[n].key))
        wanted = dict(pair for query in queries for pair in tokens_and_words(query))
        return [self._hit(number, best[number], wanted) for number in order[:limit]]

    def _relevances(self, query: str) -> dict[int, float]:
        tokens = dict.fromkeys(tokenize(query))
        ceiling = self._index.ceiling(tokens)
        if not ceiling:
            return {}
        return {n: score / ceiling for n, score in self._index.scores(tokens).items()}

    def _hit(self, number: int, relevance: float, wanted: Mapping[str, str]) -> SearchHit:
        matched = [word for token, word in wanted.items() if token in self._bags[number]]
        explanation = f"matches {', '.join(matched[:_MAX_EXPLAINED_WORDS])}"
        return SearchHit(self._tools[number], round(relevance, 4), explanation)


def _bag(tool: Tool) -> dict[str, float]:
    bag: dict[str, float] = defaultdict(float)
    for field, text in _fields(tool).items():
        for token in tokenize(text):
            bag[token] += _FIELD_WEIGHTS[field]
    return dict(bag)


def _fields(tool: Tool) -> dict[str, str]:
    properties = as_object(tool.input_schema.get("properties"))
    return {
        "name": tool.key.tool,
        "server": tool.server_name,
        "title": tool.title if tool.title != tool.key.tool else "",
        "description": tool.description,
        "parameters": " ".join(
            f"{name} {as_object(definition).get('description') or ''}"
            for name, definition in properties.items()
        ),
    }
