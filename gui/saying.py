"""What went wrong, in the person's language.

The router's sentences are English and carry their parts (`router.domain.errors.said`); a server's
failure is told by its kind (`gui.failures`). What has no translation is shown as it is.
"""

from __future__ import annotations

from gui.failures import cause_text, failure_hint
from gui.translating import tr
from router.domain.errors import Sentence, ToolboothError, UpstreamFailed
from router.domain.failures import FailureKind


def shown(text: str) -> str:
    """A sentence of the router's; one that is the window's own already stays."""
    if not isinstance(text, Sentence):
        return tr(text) if text else ""
    translated = tr(text.template)
    parts = {
        name: shown(part) if isinstance(part, Sentence) else part
        for name, part in text.parts.items()
    }
    return translated.format(**parts) if parts else translated


def message_of(error: ToolboothError) -> str:
    if isinstance(error, UpstreamFailed) and error.failure.kind is not FailureKind.OTHER:
        return cause_text(error.failure)
    return shown(error.message)


def hint_of(error: ToolboothError) -> str:
    if isinstance(error, UpstreamFailed) and error.failure.kind is not FailureKind.OTHER:
        return failure_hint(error.failure)
    return shown(error.hint)


def explained(error: ToolboothError) -> str:
    """What happened and what to do about it, in one go."""
    return f"{message_of(error)} {hint_of(error)}".strip()
