"""Detects tool poisoning: words that steer a model instead of describing a tool. Works offline.

Each rule has a weight. A text is reported when the weights of the rules that match add up to the
threshold, so that what is harmless alone ("must", "silently", a path) counts only with something
else. Each finding names its rule and quotes the words. Every pattern is bounded, so that no text
makes the search slow.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from router.discovery.vetting.co_occurrence import find_combinations
from router.discovery.vetting.poisoning_rules import rules

_THRESHOLD = 1.0
_DETECTOR_FACTOR = 0.4
"""How much a match counts in a sentence that says what the tool detects or a flag switches."""
_NEAR = 300
"""How many characters apart matches may be that count together."""
_MAX_MATCHES = 8
"""Of one rule in one text."""
_MAX_QUOTE = 160
_MAX_TEXT = 20_000
"""The rest of a longer text is not searched."""
_MIN_NAME_CHARACTERS = 24
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_HEX = re.compile(r"(?:[0-9a-f]{2}[ :]?){16,2000}", re.IGNORECASE)
_SPACED_LETTERS = re.compile(r"(?:\b[A-Za-z][ ._-]{1,2}){8,400}[A-Za-z]\b")
_MAX_ENCODED = 20
_WORD = re.compile(r"\w+")
_WRAPPED = re.compile(r"(?<=[a-z,])\n(?=[a-z])")
_LEET_WORD = re.compile(r"\b(?!s3\b)[A-Za-z0-9]{2,24}\b")
_LEET_DIGIT = re.compile(r"[013457]")
_LEET_LETTERS = str.maketrans("013457", "oieast")
_DETECTS = re.compile(
    r"(?:this\s+tool\s+)?(?:detect|scan|check|find|flag|identif(?:y|ie)|warn|block|prevent|search|audit|analy[sz]e"
    r"|explain|monitor|classif(?:y|ie)|redact|mask|removes?\s+|simulate|grade)(?:s|es)?\b"
    r"|(?:whether\s+(?!or\b)\w+|if\s+(?:true|false|set|enabled))\b",
    re.IGNORECASE,
)
_TELLS_WHETHER = re.compile(
    r"\b(?:reports?|tells?|returns?|checks?|says?)\s+(?:true\s+if|whether)\b", re.IGNORECASE
)
_QUOTES = ('"', "`", "'")
_INTRODUCES_EXAMPLE = tuple(
    " as|like|e.g.|:|containing|phrases|words|strings|text|example".split("|")
)
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅοαενικτυρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ’‘“”",
    "aeopcyxijshdqwABEKMHOPCTYXIJSoaevikturABEZHIKMNOPTYX''\"\"",
)


def detect(text: str, *, parameter: bool = False) -> list[tuple[str, str]]:
    """The rules that match `text`, each with the words it matches, if they reach the threshold."""
    if len(text) < _MIN_NAME_CHARACTERS and text.isascii() and " " not in text:
        return []  # a name or a single word, as most texts are
    return list(_detect(text[:_MAX_TEXT], parameter))


@lru_cache(maxsize=1024)
def _detect(text: str, parameter: bool) -> tuple[tuple[str, str], ...]:
    """Cached because the tools of a server have many parameters in common."""
    found = _near_each_other(_matches(text, parameter=parameter))
    for decoded in islice(_encoded_texts(text), _MAX_ENCODED):
        hidden = _near_each_other(_matches(decoded))
        found += [replace(match, rule=f"encoded: {match.rule}") for match in hidden]
    return tuple((match.rule, match.quote) for match in found)


@dataclass(frozen=True, slots=True)
class _Match:
    weight: float
    rule: str
    start: int
    end: int
    quote: str


def _near_each_other(matches: list[_Match]) -> list[_Match]:
    """The matches that reach the threshold together with those near them: a long text has harmless
    words of each kind somewhere. Each rule counts once."""
    found: dict[str, _Match] = {}
    for one in matches:
        near = {
            other.rule: other
            for other in reversed(matches)
            if other.start - one.end <= _NEAR and one.start - other.end <= _NEAR
        }
        if sum(match.weight for match in near.values()) >= _THRESHOLD:
            found = {**near, **found}
    return sorted(found.values(), key=lambda match: matches.index(match))


def _matches(text: str, *, parameter: bool = False) -> list[_Match]:
    plain = _normalized(text)
    words = frozenset(_WORD.findall(plain.lower()))
    spans = [
        (rule.weight, rule.name, *match.span())
        for rule in rules()
        for match in islice(rule.matches(plain, words), _MAX_MATCHES)
        if not _is_example(plain, match)
    ]
    spans += [
        (combination.weight, combination.name, start, end)
        for combination, start, end in find_combinations(plain, parameter=parameter)
    ]
    return [
        _Match(
            weight * _factor(plain, start, end),
            rule,
            start,
            end,
            text[start:end].strip()[:_MAX_QUOTE],  # `_normalized` keeps the positions
        )
        for weight, rule, start, end in spans
    ]


def _factor(text: str, start: int, end: int) -> float:
    """How much a match counts: less in a sentence about what a tool detects or a flag does."""
    breaks = (
        at + 1 for stop in (". ", "\n", "? ", "! ") if (at := text.rfind(stop, 0, start)) >= 0
    )
    sentence = max(breaks, default=0)
    first = len(text) - len(text[sentence:].lstrip())
    detects = _DETECTS.match(text, first, end) or _TELLS_WHETHER.search(text, first, end)
    return _DETECTOR_FACTOR if detects else 1.0


def _is_example(text: str, match: re.Match[str]) -> bool:
    """Whether the words are quoted as an example, as a tool that detects them would."""
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip(" .")
    quoted = before.endswith(_QUOTES) and after.startswith(_QUOTES)
    return quoted and before[:-1].rstrip().lower().endswith(_INTRODUCES_EXAMPLE)


def _normalized(text: str) -> str:
    """`text` with lookalike characters, leetspeak and line breaks within a sentence replaced,
    character for character."""
    text = _WRAPPED.sub(" ", text)
    if not text.isascii():
        text = "".join(map(_normalized_character, text.translate(_LOOKALIKES)))
    return _LEET_WORD.sub(_without_leet, text) if _LEET_DIGIT.search(text) else text


def _without_leet(match: re.Match[str]) -> str:
    """`d0` and `pr3v10us` as they are read. Names like `sha256` change too, which does no harm."""
    word = match.group()
    letters = sum(map(str.isalpha, word))
    return word.translate(_LEET_LETTERS) if letters * 2 >= len(word) else word


def _normalized_character(character: str) -> str:
    if character.isascii():
        return character
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


def _encoded_texts(text: str) -> Iterator[str]:
    """Texts inside `text` in Base64, in hexadecimal or with spaced letters."""
    for match in _BASE64.finditer(text):
        blob = match.group()
        yield from _decoded(base64.b64decode, blob + "=" * (-len(blob) % 4))
    for match in _HEX.finditer(text):
        yield from _decoded(bytes.fromhex, match.group().replace(" ", "").replace(":", ""))
    for match in _SPACED_LETTERS.finditer(text):
        words = re.split(r"[ ._-]{2}", match.group())
        yield " ".join(re.sub(r"[ ._-]", "", word) for word in words)


def _decoded(decode: Callable[[str], bytes], encoded: str) -> Iterator[str]:
    """`encoded` decoded, if that is readable text."""
    with suppress(ValueError):
        text = decode(encoded).decode("utf-8")
        if " " in text and text.isprintable():
            yield text
