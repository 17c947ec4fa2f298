"""Text to search tokens: identifiers are split, words stemmed, stop words dropped.

`createGitHubIssue`, `create_git_hub_issue` and "creating GitHub issues" have the same tokens. CJK
text has no spaces, so its tokens are character bigrams.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import resources
from router.search.text.stemmer import stem

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")
"""Also splits identifiers: `getHTTPUrl2` is get, HTTP, Url, 2."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_MARKS = re.compile(r"[\u0300-\u036f]+")
_MAX_WORD = 40
STOP_WORDS = frozenset(resources.read_text("search", "stop_words.txt").split())


def tokenize(text: str) -> list[str]:
    """The tokens of `text`, in order, repeats kept."""
    return [token for word in split_words(text) for token in word_tokens(word)]


def tokens_with_words(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tokens of `words`, each with the word it was made from, to explain matches."""
    for word in words:
        tokens = word_tokens(word)
        if len(tokens) == 1:
            yield tokens[0], word
        else:
            yield from ((token, token) for token in tokens)


@lru_cache(maxsize=50_000)
def word_tokens(word: str) -> tuple[str, ...]:
    """The tokens of one of the `split_words`: none, one, or bigrams."""
    if word in STOP_WORDS:
        return ()
    if word.isascii():
        return (stem(word) if word.isalpha() else word,)
    if not _CJK.fullmatch(word):
        return (word,)
    return tuple(map("".join, pairwise(word))) or (word,)


def split_words(text: str) -> list[str]:
    """The words of `text` in lower case, identifiers split, accents removed."""
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFKD", text))
        text = unicodedata.normalize("NFC", text)
    found: list[str] = _WORD.findall(text)
    if len(text) > _MAX_WORD and max(map(len, found), default=0) > _MAX_WORD:
        found = [word[:_MAX_WORD] for word in found]
    # All at once: lowering each word would take as long as finding it.
    return " ".join(found).lower().split(" ") if found else []
