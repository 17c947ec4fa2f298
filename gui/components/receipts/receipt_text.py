"""A receipt as text: the protection in force, what the server tried and what went unseen. Pure."""

from __future__ import annotations

from gui.text.server_row import protection_words, reason_words
from gui.text.tr import tr
from gui.widgets.field_form import FormField
from router.domain.receipts import Receipt

MAX_LINES = 12
"""Of each kind; the terminal prints all of them."""


def tried_text(receipt: Receipt | None) -> str:
    """In one line, for a decision."""
    if receipt is None:
        return tr("It has not run yet. What it accesses during discovery will be shown here.")
    if not receipt.watched:
        return tr("Its activity could not be recorded.")
    counts = [
        tr("%n files outside its home folder", "", len(receipt.files)) if receipt.files else "",
        tr("%n hosts", "", len(receipt.hosts)) if receipt.hosts else "",
        tr("%n programs", "", len(receipt.programs)) if receipt.programs else "",
    ]
    text = ", ".join(count for count in counts if count)
    return (
        tr("Tried to access: {what}").format(what=text)
        if text
        else tr("It didn’t try to access anything else.")
    )


def receipt_fields(receipt: Receipt) -> tuple[FormField, ...]:
    """All of it, as captions and values."""
    protection = receipt.protection
    words = "\n".join((protection_words(protection), *map(reason_words, protection.missing)))
    tried = (
        FormField(
            tr("Files outside its home folder"), _listed(receipt.files), code=bool(receipt.files)
        ),
        FormField(tr("Hosts"), _listed(receipt.hosts), code=bool(receipt.hosts)),
        FormField(tr("Programs"), _listed(receipt.programs), code=bool(receipt.programs)),
    )
    return (
        FormField(tr("Protection"), words),
        *(tried if receipt.watched else ()),
        *_package(receipt),
        *(
            (FormField(tr("Not recorded"), _unseen(receipt)),)
            if receipt.unseen or receipt.left_out
            else ()
        ),
    )


def _listed(found: tuple[str, ...]) -> str:
    if not found:
        return tr("none")
    lines = list(found[:MAX_LINES])
    if len(found) > MAX_LINES:
        lines.append(tr("and %n more", "", len(found) - MAX_LINES))
    return "\n".join(lines)


def _package(receipt: Receipt) -> tuple[FormField, ...]:
    if package := receipt.package:
        size = f"{package.size_bytes / 1e6:.0f}\N{NO-BREAK SPACE}MB"
        return (FormField(tr("Package"), f"{package.name} {package.version} ({size})", code=True),)
    reason = receipt.as_written
    return (FormField(tr("Package"), reason_words(reason)),) if reason else ()


def _unseen(receipt: Receipt) -> str:
    lines = [tr(words) for words in receipt.unseen]
    if receipt.left_out:
        lines.append(tr("%n more attempts are not listed.", "", receipt.left_out))
    return "\n".join(lines)
