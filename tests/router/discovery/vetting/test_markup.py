"""HTML in a server's texts is removed, whatever it is hidden in."""

from __future__ import annotations

import pytest

from router.discovery.vetting.hidden_text import clean


@pytest.mark.parametrize(
    "text",
    [
        '<im<b>g src="file:///pipe">',
        "<im<!-- -->g src=x>",
        "<!-<!-- a -->- hidden --> <img src=x>",
        "<<b>img src=x>",
        "<" + "<b" * 50 + ">" * 50 + "img src=x>",
        "<im\u200bg src=x>",
        "<im" + "<im" * 30 + "<b>" + "g src=x>" * 31,
    ],
)
def test_no_html_is_left_or_appears_when_other_html_is_removed(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.has_markup
    assert "<img" not in cleaned.text
    assert clean(cleaned.text).text == cleaned.text
