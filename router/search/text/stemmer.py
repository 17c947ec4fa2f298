"""The Porter stemmer: "creating", "creates" and "created" become "creat".

M. F. Porter, "An algorithm for suffix stripping", Program 14 (1980). Only for lower-case ASCII
words; callers don't stem other words.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


def _rules(text: str) -> tuple[tuple[str, str], ...]:
    """Suffixes, each with its replacement, in the order in which they are tried."""
    pairs = (rule.partition(">") for rule in text.split())
    return tuple((suffix, replacement) for suffix, _, replacement in pairs)


_STEP_2 = _rules(
    "ational>ate tional>tion enci>ence anci>ance izer>ize abli>able alli>al entli>ent eli>e "
    "ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous "
    "aliti>al iviti>ive biliti>ble"
)
_STEP_3 = _rules("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_STEP_4 = _rules("ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou")
"""Longest first."""


def stem(word: str) -> str:
    """The stem of a lower-case ASCII word; words of one or two letters are returned as they are."""
    if len(word) <= 2:
        return word
    word = _strip_verb_ending(_strip_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_suffix(word, _STEP_2, 1)
    word = _replace_suffix(word, _STEP_3, 1)
    word = _strip_suffix(word)
    return _final_e_and_ll(word)


def _strip_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _strip_verb_ending(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        base = word.removesuffix(ending)
        if base != word and _has_vowel(base):
            return _restore_ending(base)
    return word


def _restore_ending(base: str) -> str:
    """The base of a verb without its ending: "conflat" is "conflate", "hopp" is "hop"."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if _ends_double(base) and base[-1] not in "lsz":
        return base[:-1]
    if _measure(base) == 1 and _ends_cvc(base):
        return base + "e"
    return base


def _replace_suffix(word: str, rules: Iterable[tuple[str, str]], measure: int) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return base + replacement if _measure(base) >= measure else word
    return word


def _strip_suffix(word: str) -> str:
    """Step 4; of "sion" and "tion" only "ion" is removed."""
    if word.endswith(("sion", "tion")):
        return word[:-3] if _measure(word[:-3]) > 1 else word
    return _replace_suffix(word, _STEP_4, 2)


def _final_e_and_ll(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        measure = _measure(base)
        if measure > 1 or (measure == 1 and not _ends_cvc(base)):
            word = base
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        return word[:-1]
    return word


def _is_consonant(word: str, at: int) -> bool:
    letter = word[at]
    if letter == "y":
        return at == 0 or not _is_consonant(word, at - 1)
    return letter not in "aeiou"


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant: Porter's m."""
    kinds = [_is_consonant(word, at) for at in range(len(word))]
    return sum(now and not before for before, now in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, at) for at in range(len(word)))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_cvc(word: str) -> bool:
    """Ends in consonant, vowel, consonant, the last not w, x or y: "hop" does, "creat" does not."""
    last = len(word) - 1
    return (
        last >= 2
        and _is_consonant(word, last)
        and not _is_consonant(word, last - 1)
        and _is_consonant(word, last - 2)
        and word[last] not in "wxy"
    )
