"""Learning from use: which tool was run after which search.

Pure: a `Learned` in, a `Learned` out. Bounded in number, halved every month, so that what a project
no longer does is forgotten by itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from router.domain.search import Experience, Learned, Lesson, Miss
from router.search.tokens import tokenize, tokens_and_words, words

HALF_LIFE = timedelta(days=30)
MAX_LESSONS = 300
MAX_MISSES = 100
MAX_WORDS = 12
FORGOTTEN = 0.1
"""A lesson that counts for less than this is dropped."""


def telling_words(queries: Iterable[str]) -> tuple[str, ...]:
    """What is kept of a search: its words without the empty ones, each once, no numbers."""
    found = {token: word for query in queries for token, word in tokens_and_words(words(query))}
    return tuple(sorted(word for word in found.values() if not word.isdigit()))[:MAX_WORDS]


def with_lesson(learned: Learned, words: tuple[str, ...], tool: str, now: datetime) -> Learned:
    """`learned` and that after a search of `words` a tool was run."""
    if not words:
        return learned
    before = {(lesson.words, lesson.tool): lesson for lesson in learned.lessons}
    known = before.pop((words, tool), None)
    lesson = Lesson(words, tool, 1 + (count_now(known, now) if known else 0.0), now)
    kept = [old for old in before.values() if count_now(old, now) >= FORGOTTEN]
    kept.sort(key=lambda old: old.at)
    return replace(learned, lessons=(*kept, lesson)[-MAX_LESSONS:])


def with_miss(learned: Learned, words: tuple[str, ...], now: datetime) -> Learned:
    if not words:
        return learned
    others = [miss for miss in learned.misses if miss.words != words]
    return replace(learned, misses=(*others, Miss(words, now))[-MAX_MISSES:])


def count_now(lesson: Lesson, now: datetime) -> float:
    age = max(timedelta(0), now - lesson.at)
    return lesson.count * 0.5 ** (age / HALF_LIFE)


def experiences(learned: Learned, now: datetime) -> tuple[Experience, ...]:
    """What a search needs of it: once counts little, often counts almost fully."""
    return tuple(
        Experience(
            tokens=frozenset(tokenize(" ".join(lesson.words))),
            tool=lesson.tool,
            strength=1 - 0.5 ** count_now(lesson, now),
        )
        for lesson in learned.lessons
    )
