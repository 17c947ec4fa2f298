"""Finds and removes what a person can't see in a server's text: hidden characters and HTML.

Every step is linear in the length of the text, whatever the text is.
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
"""Next to these a joiner or variation selector is ordinary spelling: Persian, Hindi, emoji."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_SPELLING = re.compile("[\u200c\u200d\ufe0e\ufe0f\u200e\u200f]{1,2}")
_BLACK_FLAG = "\U0001f3f4"
_FLAG = re.compile("[\U000e0061-\U000e007a\U000e0030-\U000e0039]{4,6}\U000e007f")
"""After a black flag: the country or region, such as Wales."""
_ELEMENTS = (
    "a|abbr|article|aside|audio|b|base|blockquote|body|br|button|canvas|center|code|details|div|"
    "em|embed|font|footer|form|frame|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|"
    "link|main|mark|marquee|meta|nav|object|ol|option|p|pre|s|samp|script|section|select|small|span|"
    "strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|"
    "tr|tt|u|ul|video"
)
_MARKUP = re.compile(rf"</?(?:{_ELEMENTS})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
"""A comment that is not closed extends to the end, as in a browser."""
_MAX_NESTED_MARKUP = 8
_CONTEXT = 24
_MAX_QUOTE = 160
_LONE_SURROGATE = "half a character"
"""An encoding error, which hides nothing."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A run of invisible characters: their kind, and the text around them."""

    rule: str
    quote: str


@dataclass(frozen=True, slots=True)
class Cleaned:
    text: str
    hidden: tuple[Hidden, ...] = ()
    has_markup: bool = False
    """Whether it had HTML elements or comments."""


def is_plain(text: str) -> bool:
    """A cheap test that most texts pass: there is nothing to remove."""
    return text.isascii() and text.isprintable() and "<" not in text


def clean(text: str) -> Cleaned:
    """`text` without HTML and hidden characters. Line breaks and tabs stay."""
    if is_plain(text):
        return Cleaned(text)
    hidden = tuple(_find(text))
    seen = _HIDDEN.sub(_replacement, _ANSI.sub("", text)) if _HIDDEN.search(text) else text
    shown = _without_markup(seen)
    return Cleaned(shown, hidden, has_markup=shown != seen)


def _without_markup(text: str) -> str:
    """`text` without HTML, also such as appears when other HTML is removed: `<im<b>g>`."""
    for _ in range(_MAX_NESTED_MARKUP):
        shown = _MARKUP.sub("", _COMMENT.sub("", text))
        if shown == text:
            return shown
        text = shown
    return text.replace("<", "")


def _find(text: str) -> Iterator[Hidden]:
    """The first run of each kind of hidden text."""
    found: set[str] = set()
    for match in _HIDDEN.finditer(text):
        rule = _NAMES[(match.lastindex or 1) - 1]
        if rule in found or rule == _LONE_SURROGATE or _is_spelling(match):
            continue
        found.add(rule)
        yield Hidden(rule, _quote(text, match))


def _is_spelling(match: re.Match[str]) -> bool:
    text, start, end = match.string, match.start(), match.end()
    if _FLAG.fullmatch(match.group()):
        return text[start - 1 : start] == _BLACK_FLAG
    if not _SPELLING.fullmatch(match.group()):
        return match.group() == "\ufeff" and start == 0  # a byte order mark
    neighbours = text[start - 1 : start], text[end : end + 1]
    return any(_JOINING.match(each) or _RIGHT_TO_LEFT.match(each) for each in neighbours)


def _replacement(match: re.Match[str]) -> str:
    if _is_spelling(match) and match.group() != "\ufeff":
        return match.group()
    surrogate = "\ud800" <= match.group()[0] <= "\udfff"
    return "\ufffd" if surrogate else "\n" if match.group()[0] in "\u2028\u2029" else ""


def _quote(text: str, match: re.Match[str]) -> str:
    """The run itself, escaped, and the text on both sides."""
    start, end = match.start(), match.end()
    before = text[max(0, start - _CONTEXT) : start]
    after = text[end : end + _CONTEXT]
    return f"{_escaped(before)}[{_escaped(match.group())}]{_escaped(after)}"[:_MAX_QUOTE]


def _escaped(text: str) -> str:
    """`text` with hidden characters escaped, and tag characters as the letters they encode."""
    return _HIDDEN.sub(lambda match: "".join(map(_escaped_character, match.group())), text)


def _escaped_character(character: str) -> str:
    code = ord(character)
    if 0xE0020 <= code <= 0xE007E:
        return chr(code - 0xE0000)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def is_readable(name: str) -> bool:
    """Whether a person sees every character of a name."""
    return name.isprintable() and _HIDDEN.search(name) is None


def comments(text: str) -> list[str]:
    """The content of the HTML comments in `text`."""
    return _COMMENT.findall(text)


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
