"""What changed in a tool, word by word."""

from __future__ import annotations

import pytest

from router.discovery.vetting.diff import readable, word_diff
from router.domain.tool_lists import WordChange


def marked(old: str, new: str) -> str:
    marks = {WordChange.SAME: "{}", WordChange.REMOVED: "[-{}-]", WordChange.ADDED: "[+{}+]"}
    return "".join(marks[part.change].format(part.text) for part in word_diff(old, new))


@pytest.mark.proves("U-2")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Read a file.", "Read a file.", "Read a file."),
        ("Read a file.", "Read a large file.", "Read a [+large +]file."),
        ("Read a large file.", "Read a file.", "Read a [-large -]file."),
        ("Read a file.", "Send a file.", "[-Read-][+Send+] a file."),
        ("", "New.", "[+New.+]"),
        ("Old.", "", "[-Old.-]"),
        ("", "", ""),
        ("a b c d", "a x c y", "a [-b-][+x+] c [-d-][+y+]"),
    ],
)
def test_added_and_removed_words_are_distinguished(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


def test_texts_too_long_to_compare_are_shown_as_a_whole() -> None:
    old = "same start " + "a b " * 50_000 + "same end"
    new = "same start " + "b a " * 50_000 + "same end"
    parts = word_diff(old, new)
    assert len(parts) == 4
    assert "".join(p.text for p in parts if p.change is not WordChange.ADDED) == old
    assert "".join(p.text for p in parts if p.change is not WordChange.REMOVED) == new


def test_the_text_of_a_tool_is_its_description_then_its_schemas() -> None:
    form = {"title": "T", "description": "D", "inputSchema": {"b": 1, "a": "é"}}
    assert readable(form) == 'T\nD\ninputSchema: {"a": "é", "b": 1}'
