"""Why a search found a tool, in the person's language. Pure."""

from __future__ import annotations

from gui.text.tr import tr
from router.domain.search import SearchHit


def why_text(hit: SearchHit) -> str:
    """The words that match, how near the meaning is, and whether it served before; as someone else
    said it, where it was someone else who found it."""
    why = hit.why
    if why is None:
        return hit.explanation
    parts = [tr("named by its key")] if why.named else []
    if why.words:
        parts.append(tr("words: {words}").format(words=", ".join(why.words)))
    if why.meaning is not None:
        parts.append(tr("meaning {share}").format(share=f"{why.meaning:.2f}"))
    if why.learned:
        parts.append(tr("used before for this"))
    return " · ".join(parts) or hit.explanation
