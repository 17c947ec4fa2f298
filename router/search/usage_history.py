"""Usage history: which tool was used after which search, and what of that is kept.

Pure: a `UsageHistory` in, a `UsageHistory` out. Bounded in number, with a half-life of a month, so
that a project's old habits expire by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from router.domain.search import AbandonedSearch, ToolUse, UsageHistory, UsageSignal
from router.runtime.clock import is_doubtful
from router.search.text.tokenizer import split_words, tokenize, tokens_with_words

HALF_LIFE = timedelta(days=30)
MAX_USES = 300
MAX_ABANDONED = 100
MAX_WORDS = 12
MIN_COUNT = 0.1
"""A use whose decayed count is less than this is dropped."""


def content_words(queries: Iterable[str]) -> tuple[str, ...]:
    """What is kept of a search: its words without stop words and numbers, each once, sorted."""
    words = {
        token: word for query in queries for token, word in tokens_with_words(split_words(query))
    }
    return tuple(sorted(word for word in words.values() if not word.isdigit()))[:MAX_WORDS]


def with_use(
    history: UsageHistory, words: tuple[str, ...], tool: str, now: datetime
) -> UsageHistory:
    """`history` and that a tool was used after a search for `words`."""
    if not words:
        return history
    others = {(use.words, use.tool): use for use in history.uses}
    known = others.pop((words, tool), None)
    use = ToolUse(words, tool, 1 + (decayed_count(known, now) if known else 0.0), now)
    return replace(history, uses=(*_unexpired(tuple(others.values()), now), use)[-MAX_USES:])


def _unexpired(uses: Sequence[ToolUse], now: datetime) -> Sequence[ToolUse]:
    """`uses`, the latest last, without those that are too old; all of them if the clock seems to be
    wrong."""
    kept = [use for use in uses if decayed_count(use, now) >= MIN_COUNT]
    expired = [use.at for use in uses if decayed_count(use, now) < MIN_COUNT]
    began = min((use.at for use in kept if use.at <= now), default=now)
    if expired and is_doubtful(now, began=began, last=max(expired)):
        return uses
    return kept


def with_abandoned(history: UsageHistory, words: tuple[str, ...], now: datetime) -> UsageHistory:
    """`history` and that nothing was used after a search for `words`."""
    if not words:
        return history
    others = [search for search in history.abandoned if search.words != words]
    return replace(history, abandoned=(*others, AbandonedSearch(words, now))[-MAX_ABANDONED:])


def decayed_count(use: ToolUse, now: datetime) -> float:
    age = max(timedelta(0), now - use.at)
    return use.count * 0.5 ** (age / HALF_LIFE)


def usage_signals(history: UsageHistory, now: datetime) -> tuple[UsageSignal, ...]:
    """What ranking needs of a history. One use is a weak signal, many are almost full strength."""
    return tuple(
        UsageSignal(
            tokens=frozenset(tokenize(" ".join(use.words))),
            tool=use.tool,
            strength=1 - 0.5 ** decayed_count(use, now),
        )
        for use in history.uses
    )
