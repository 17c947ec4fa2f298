"""Why a search found a tool, in the person's language. Pure."""

from __future__ import annotations

from gui.translating import tr
from router.domain.search import SearchHit


def why_text(hit: SearchHit) -> str:
    """The words that match, how near the meaning is, and whether it served before; as someone else
    said it, where it was someone else who found it."""
    reasons = hit.reasons
    if reasons is None:
        return hit.explanation
    parts = [tr("named by its key")] if reasons.exact_key else []
    if reasons.words:
        parts.append(tr("words: {words}").format(words=", ".join(reasons.words)))
    if reasons.similarity is not None:
        parts.append(tr("meaning {share}").format(share=f"{reasons.similarity:.2f}"))
    if reasons.used_before:
        parts.append(tr("used before for this"))
    return " · ".join(parts) or hit.explanation
