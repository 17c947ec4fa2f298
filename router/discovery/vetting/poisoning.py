"""Looking for words that steer a model instead of describing a tool. Pure rules, offline.

Each rule has a weight. A text is suspicious when the weights of the rules that match it reach 1:
what is harmless by itself ("must", "silently", a path) counts only in bad company. Each finding
names its rule and quotes its words. Every pattern is bounded, so that no text makes this slow.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice

from router.discovery.vetting.co_occurrence import companies
from router.discovery.vetting.poisoning_languages import OTHER_LANGUAGES
from router.discovery.vetting.poisoning_rules import ENGLISH

RULES = ENGLISH + OTHER_LANGUAGES
_ENOUGH = 1.0
_IN_A_DESCRIPTION = 0.4
"""What is left of a weight where the sentence says what the tool looks for."""
_MAX_WORDS = 160
_MAX_TEXT = 20_000
"""More of one text is shown to nobody."""
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_MAX_ENCODED = 20
_HEX = re.compile(r"(?:[0-9a-f]{2}[ :]?){16,2000}", re.IGNORECASE)
_APART = re.compile(r"(?:\b[A-Za-z][ ._-]{1,2}){8,400}[A-Za-z]\b")
_SHORTEST = 24
_WORD = re.compile(r"\w+")
_MIXED = re.compile(r"\b(?!s3\b)[A-Za-z0-9]{2,24}\b")
"""A word in which some letters may be written as digits."""
_LETTERS = str.maketrans("013457", "oieast")
_DIGIT = re.compile(r"[013457]")
_LOOKS_FOR = re.compile(
    r"(?:this\s+tool\s+)?(?:detect|scan|check|find|flag|identif(?:y|ie)|warn|block|prevent|search|audit|analy[sz]e"
    r"|explain|monitor|classif(?:y|ie)|redact|mask|removes?\s+|simulate|grade)(?:s|es)?\b",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\b(?:reports?|tells?|returns?|checks?|says?)\s+(?:true\s+if|whether)\b", re.IGNORECASE
)
_QUOTES = ('"', "`", "'")
_INTRODUCES = (
    " as",
    "like",
    "e.g.",
    ":",
    "containing",
    "phrases",
    "words",
    "strings",
    "text",
    "example",
)
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅοαενικτυρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ’‘“”",
    "aeopcyxijshdqwABEKMHOPCTYXIJSoaevikturABEZHIKMNOPTYX''\"\"",
)


def search(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The rule, place and words of each finding in `texts`, which are pairs of place and text."""
    for where, text in texts:
        for rule, words in suspicions(text, parameter="Schema." in where):
            yield rule, where, words


def suspicions(text: str, *, parameter: bool = False) -> list[tuple[str, str]]:
    """The rules that `text` breaks, each with the words that broke it; none if they are too few."""
    if len(text) < _SHORTEST and text.isascii() and " " not in text:
        return []  # a name or a word: by far the most
    return list(_suspicions(text[:_MAX_TEXT], parameter))


@lru_cache(maxsize=1024)
def _suspicions(text: str, parameter: bool) -> tuple[tuple[str, str], ...]:
    """Kept for a while, because the parameters of a server's tools are much alike."""
    found = _matches(text, parameter=parameter)
    for inner in islice(_inner_texts(text), _MAX_ENCODED):
        found += [(weight, f"encoded: {rule}", words) for weight, rule, words in _matches(inner)]
    if sum(weight for weight, _, _ in found) < _ENOUGH:
        return ()
    return tuple((rule, words) for _, rule, words in found)


def _matches(text: str, *, parameter: bool = False) -> list[tuple[float, str, str]]:
    plain = _plain(text)
    words = frozenset(_WORD.findall(plain.lower()))
    places = [
        (rule.weight, rule.name, *match.span())
        for rule in RULES
        if (match := rule.search(plain, words)) is not None and not _is_an_example(plain, match)
    ]
    places += [
        (company.weight, company.name, start, end)
        for company, start, end in companies(plain, parameter=parameter)
    ]
    return [
        (weight * _share(plain, start, end), rule, text[start:end].strip()[:_MAX_WORDS])
        for weight, rule, start, end in places  # `_plain` keeps every place where it was
    ]


def _share(text: str, start: int, end: int) -> float:
    """How much the words count: less in a sentence that says what the tool looks for."""
    breaks = (
        place + 1 for stop in (". ", "\n", "? ", "! ") if (place := text.rfind(stop, 0, start)) >= 0
    )
    sentence = max(breaks, default=0)
    first = len(text) - len(text[sentence:].lstrip())
    told = _LOOKS_FOR.match(text, first, end) or _WHETHER.search(text, first, end)
    return _IN_A_DESCRIPTION if told else 1.0


def _is_an_example(text: str, match: re.Match[str]) -> bool:
    """Whether the words are quoted as something to look for, as a tool against them would."""
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip(" .")
    quoted = before.endswith(_QUOTES) and after.startswith(_QUOTES)
    return quoted and before[:-1].rstrip().lower().endswith(_INTRODUCES)


def _plain(text: str) -> str:
    """`text` with letters that only look different made the same, character for character."""
    if not text.isascii():
        text = "".join(map(_plain_character, text.translate(_LOOKALIKES)))
    return _MIXED.sub(_spelled, text) if _DIGIT.search(text) else text


def _spelled(word: re.Match[str]) -> str:
    """`d0` and `pr3v10us` as they are read; `sha256` and `s3` are no such words, but no harm."""
    written = word.group()
    letters = sum(map(str.isalpha, written))
    return written.translate(_LETTERS) if letters * 2 >= len(written) else written


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


def _inner_texts(text: str) -> Iterator[str]:
    """What is written in `text` in Base64, in hexadecimal or letter by letter."""
    for match in _ENCODED.finditer(text):
        blob = match.group()
        yield from _decoded(lambda blob=blob: base64.b64decode(blob + "=" * (-len(blob) % 4)))
    for match in _HEX.finditer(text):
        digits = match.group().replace(" ", "").replace(":", "")
        yield from _decoded(lambda digits=digits: bytes.fromhex(digits))
    for match in _APART.finditer(text):
        words = re.split(r"[ ._-]{2}", match.group())
        yield " ".join(re.sub(r"[ ._-]", "", word) for word in words)


def _decoded(decode: Callable[[], bytes]) -> Iterator[str]:
    """The text that comes of it, if it is one."""
    with suppress(binascii.Error, ValueError):
        text = decode().decode("utf-8")
        if " " in text and text.isprintable():
            yield text
