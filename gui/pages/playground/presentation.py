"""Why a search found a tool, as text. Pure."""

from __future__ import annotations

from gui.text.tr import tr
from router.domain.search import SearchHit


def why_text(hit: SearchHit) -> str:
    """The matching words, the similarity in meaning, the usage history; or the reason that an
    external service gave."""
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
