"""Text to search tokens: identifiers are split, common endings cut, empty words left out.

`createGitHubIssue`, `create_git_hub_issue` and "creating GitHub issues" meet in the same tokens.
CJK text has no spaces, so each pair of neighbouring characters is a token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORD = re.compile(r"[A-Za-z]+|[0-9]+|[^\W\d_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_STOP_WORDS = frozenset(
    "a an and are as at be by can do for from has how i if in into is it its me my of on or that "
    "the their them then there these this those to use used using via want was we what when which "
    "will with you your".split()
)


def tokenize(text: str) -> list[str]:
    """The tokens of `text`, in order, repeats kept."""
    return [token for token, _ in tokens_and_words(text)]


def tokens_and_words(text: str) -> Iterator[tuple[str, str]]:
    """Each token with the word it was made from, for showing what matched."""
    for word in _WORD.findall(_HUMP.sub(" ", text)):
        if _CJK.fullmatch(word):
            yield from ((pair, pair) for pair in _bigrams(word))
        elif (lower := word.lower()) not in _STOP_WORDS:
            yield stem(lower), lower


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def stem(word: str) -> str:
    """A light stem: plural and verb endings go, so that "issues" finds "issue"."""
    if len(word) <= 3 or not word.isascii():
        return word
    for ending, replacement in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return _undouble(word[: -len(ending)] + replacement)
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return _undouble(word[:-1])
    return _undouble(word)


def _undouble(word: str) -> str:
    """`create`, `creat(ing)` and `runn(ing)` must meet: a final e or doubled consonant goes."""
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word
