"""Text from a server: what a person can't see in it is found, named and taken out.

All looks are linear in the length of the text, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_RANGES: dict[str, tuple[tuple[int, int], ...]] = {
    "terminal sequence": ((0x1B, 0x1B), (0x9B, 0x9B)),
    "control character": ((0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x1A), (0x1C, 0x1F), (0x7F, 0x9A),
                          (0x9C, 0x9F), (0x2028, 0x2029), (0xFFF9, 0xFFFB)),
    "text direction": ((0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069), (0x061C, 0x061C)),
    "zero-width character": ((0x200B, 0x200D), (0x2060, 0x2065), (0x206A, 0x206F),
                             (0xFEFF, 0xFEFF), (0x00AD, 0x00AD), (0x034F, 0x034F),
                             (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
                             (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0),
                             (0xE0100, 0xE01EF), (0x1D173, 0x1D17A)),
    "tag character": ((0xE0000, 0xE00FF),),
    "private character": ((0xE000, 0xF8FF), (0xF0000, 0x10FFFF)),
    "half a character": ((0xD800, 0xDFFF),),
}  # fmt: skip


def _class(ranges: tuple[tuple[int, int], ...]) -> str:
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)


_HIDDEN = re.compile("|".join(f"([{_class(ranges)}]+)" for ranges in _RANGES.values()))
_NAMES = tuple(_RANGES)
_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]|\x1b\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?"
)
_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u1780-\u17ff\u1800-\u18af\ufb50-\ufdff\ufe70-\ufefc"
    "\u2190-\u2bff\u3030-\u303d\u3297-\u3299\u00a9\u00ae0-9#*\U0001f000-\U0001faff]"
)
"""Beside these a joiner or a variation selector is a matter of spelling: Persian, Hindi, emoji."""
_SPELLING = re.compile("[\u200c\u200d\ufe0e\ufe0f\u200e\u200f]{1,2}")
_BLACK_FLAG = "\U0001f3f4"
_FLAG = re.compile("[\U000e0061-\U000e007a\U000e0030-\U000e0039]{4,6}\U000e007f")
"""After a black flag: which one it is, as that of Wales."""
_ELEMENTS = (
    "a|abbr|article|aside|audio|b|base|blockquote|body|br|button|canvas|center|code|details|div|"
    "em|embed|font|footer|form|frame|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|"
    "link|main|mark|marquee|meta|nav|object|ol|option|p|pre|s|samp|script|section|select|small|span|"
    "strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|"
    "tr|tt|u|ul|video"
)
_MARKUP = re.compile(rf"</?(?:{_ELEMENTS})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_CONTEXT = 24
_MAX_WORDS = 160
_BROKEN = "half a character"
"""A fault of encoding, which hides nothing."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A run of characters that are not seen: what they are, and the words around them."""

    rule: str
    words: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    text: str
    hidden: tuple[Hidden, ...] = ()
    markup: int = 0


def is_plain(text: str) -> bool:
    """Whether there is surely nothing to do: most texts by far."""
    return text.isascii() and text.isprintable() and "<" not in text


def clean(text: str) -> Cleaned:
    """`text` as it may be shown. Line breaks and tabs stay, HTML and what is hidden goes."""
    if is_plain(text):
        return Cleaned(text)
    hidden = tuple(_find(text))
    seen = _HIDDEN.sub(_instead, _ANSI.sub("", text)) if _HIDDEN.search(text) else text
    shown, markup = without_markup(seen)
    return Cleaned(shown, hidden, markup)


def _find(text: str) -> Iterator[Hidden]:
    """Each kind of hidden text once, at its first place."""
    told: set[str] = set()
    for match in _HIDDEN.finditer(text):
        rule = _NAMES[(match.lastindex or 1) - 1]
        if rule in told or rule == _BROKEN or _is_spelling(match):
            continue
        told.add(rule)
        yield Hidden(rule, _words(text, match))


def _is_spelling(match: re.Match[str]) -> bool:
    text, start, end = match.string, match.start(), match.end()
    if _FLAG.fullmatch(match.group()):
        return text[start - 1 : start] == _BLACK_FLAG
    if not _SPELLING.fullmatch(match.group()):
        return match.group() == "\ufeff" and start == 0  # the mark at the beginning of a file
    before, after = text[start - 1 : start], text[end : end + 1]
    return bool(_JOINING.match(before) or _JOINING.match(after)) or _is_right_to_left(before, after)


def _is_right_to_left(before: str, after: str) -> bool:
    return any("\u0590" <= beside <= "\u08ff" for beside in (before, after) if beside)


def _instead(match: re.Match[str]) -> str:
    if _is_spelling(match) and match.group() != "\ufeff":
        return match.group()
    lone = "\ud800" <= match.group()[0] <= "\udfff"
    return "\ufffd" if lone else "\n" if match.group()[0] in "\u2028\u2029" else ""


def _words(text: str, match: re.Match[str]) -> str:
    """The run itself, made visible, with what stands beside it."""
    start, end = match.start(), match.end()
    before = text[max(0, start - _CONTEXT) : start]
    after = text[end : end + _CONTEXT]
    return f"{visible(before)}[{visible(match.group())}]{visible(after)}"[:_MAX_WORDS]


def visible(text: str) -> str:
    """`text` with every hidden character written out; tag characters as what they stand for."""
    return _HIDDEN.sub(lambda m: "".join(map(_spelled, m.group())), text)


def _spelled(character: str) -> str:
    code = ord(character)
    if 0xE0020 <= code <= 0xE007E:
        return chr(code - 0xE0000)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def is_readable(name: str) -> bool:
    """Whether a person sees every character of a name."""
    return name.isprintable() and _HIDDEN.search(name) is None


def without_markup(text: str) -> tuple[str, int]:
    """`text` without HTML elements and comments, and how many there were."""
    if "<" not in text:
        return text, 0
    kept, comments = _without_comments(text)
    shown, elements = _MARKUP.subn("", kept)
    return shown, comments + elements


def _without_comments(text: str) -> tuple[str, int]:
    """A comment that does not end goes on to the end, as in a browser."""
    pieces: list[str] = []
    place = count = 0
    while (start := text.find("<!--", place)) >= 0:
        pieces.append(text[place:start])
        end = text.find("-->", start + 4)
        place = len(text) if end < 0 else end + 3
        count += 1
    return "".join((*pieces, text[place:])), count


def comments(text: str) -> Iterator[str]:
    """What stands in HTML comments."""
    place = 0
    while (start := text.find("<!--", place)) >= 0:
        end = text.find("-->", start + 4)
        place = len(text) if end < 0 else end + 3
        yield text[start + 4 : len(text) if end < 0 else end]


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
