"""Why a search found a tool, as text. Pure."""

from __future__ import annotations

from gui.text.tr import tr
from router.domain.search import SearchHit


def why_text(hit: SearchHit) -> str:
    """The matching words, the similarity in meaning, the usage history; or the reason that an
    external service gave."""
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
