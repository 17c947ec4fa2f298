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
from collections.abc import Iterable, Iterator

from router.catalog.vetting.poisoning_rules import RULES

_ENOUGH = 1.0
_MAX_WORDS = 160
_MAX_TEXT = 20_000
"""More of one text is shown to nobody."""
_ENCODED = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_MAX_ENCODED = 20
_WORD = re.compile(r"\w+")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝАВЕКМНОРСТУХІЈЅοαενικτυρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ’‘“”",
    "aeopcyxijshdqwABEKMHOPCTYXIJSoaevikturABEZHIKMNOPTYX''\"\"",
)


def search(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """The rule, place and words of each finding in `texts`, which are pairs of place and text."""
    for where, text in texts:
        for rule, words in suspicions(text):
            yield rule, where, words


def suspicions(text: str) -> list[tuple[str, str]]:
    """The rules that `text` breaks, each with the words that broke it; none if they are too few."""
    text = text[:_MAX_TEXT]
    found = _matches(text)
    for number, match in enumerate(_ENCODED.finditer(text)):
        if number >= _MAX_ENCODED:
            break
        if inner := _decoded(match.group()):
            hidden = _matches(inner)
            found += [(weight, f"encoded: {rule}", words) for weight, rule, words in hidden]
    if sum(weight for weight, _, _ in found) < _ENOUGH:
        return []
    return [(rule, words) for _, rule, words in found]


def _matches(text: str) -> list[tuple[float, str, str]]:
    plain = _plain(text)
    words = frozenset(_WORD.findall(plain.lower()))
    return [
        (rule.weight, rule.name, _quoted(text, match))
        for rule in RULES
        if (match := rule.search(plain, words)) is not None and not _is_an_example(plain, match)
    ]


def _quoted(text: str, match: re.Match[str]) -> str:
    """The words of the text itself: `_plain` keeps every place where it was."""
    return text[match.start() : match.end()].strip()[:_MAX_WORDS]


def _is_an_example(text: str, match: re.Match[str]) -> bool:
    """Whether the words are quoted as something to look for, as a tool against them would."""
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip(" .")
    quoted = before.endswith(('"', "`")) and after.startswith(('"', "`"))
    return quoted and before[:-1].rstrip().endswith((" as", "like", "e.g.", ":", "containing"))


def _plain(text: str) -> str:
    """`text` with letters that only look different made the same, character for character."""
    if text.isascii():
        return text
    return "".join(map(_plain_character, text.translate(_LOOKALIKES)))


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    folded = unicodedata.normalize("NFKC", character)
    return folded if len(folded) == 1 else character


def _decoded(blob: str) -> str:
    """The text that `blob` may be in Base64; empty if it is none."""
    try:
        text = base64.b64decode(blob + "=" * (-len(blob) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if " " in text and text.isprintable() else ""
