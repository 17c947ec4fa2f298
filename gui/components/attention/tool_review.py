"""What to know about a tool before an app uses it: new, changed or suspicious, its findings, what
differs from the approved form; and which parts of a server's list are not shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from gui.text.marks import Tone
from gui.text.tr import tr
from gui.widgets.palette import Palette
from router.domain.ids import escaped_name
from router.domain.tool_lists import (
    Approval,
    Cut,
    CutKind,
    DiffPart,
    Finding,
    FindingKind,
    ItemKind,
    WordChange,
)
from router.domain.tools import PendingTool, ToolView


@dataclass(frozen=True, slots=True)
class ToolNotice:
    text: str
    detail: str
    suspicious: bool
    waits: bool
    """Whether it can be approved."""


def tool_badge(tool: ToolView) -> tuple[str, Tone] | None:
    """The badge in its row; None for an approved tool without findings."""
    if tool.findings:
        return tr("Suspicious"), Tone.ERR
    if tool.approval is Approval.APPROVED:
        return None
    return approval_text(tool.approval), approval_tone(tool.approval)


def approval_tone(approval: Approval) -> Tone:
    return Tone.WARN if approval is Approval.CHANGED else Tone.ACCENT


def tool_notice(tool: ToolView) -> ToolNotice | None:
    if tool_badge(tool) is None:
        return None
    findings = "\n".join(finding_texts(tool.findings))
    waits = tool.approval is not Approval.APPROVED
    return ToolNotice(_approval_notice(tool.approval), findings, bool(findings), waits)


def _approval_notice(approval: Approval) -> str:
    return {
        Approval.PENDING: tr("New: hidden from apps until you approve it"),
        Approval.CHANGED: tr("Changed: hidden from apps until you approve it"),
        Approval.APPROVED: tr("Looks suspicious, but apps can use it"),
    }[approval]


def approval_text(approval: Approval) -> str:
    return tr("Changed") if approval is Approval.CHANGED else tr("New")


def pending_name(pending: PendingTool) -> str:
    """`read_file`, `Prompt summarize`, `Server instructions`."""
    if pending.kind is None:
        return pending.key.shown
    original = escaped_name(pending.key.tool.removeprefix(f"{pending.kind}:"))
    return {
        ItemKind.PROMPT: tr("Prompt {name}"),
        ItemKind.RESOURCE: tr("Resource {name}"),
        ItemKind.RESOURCE_TEMPLATE: tr("Resource template {name}"),
        ItemKind.SERVER: tr("Server instructions"),
    }[pending.kind].format(name=original)


def finding_texts(findings: Iterable[Finding]) -> tuple[str, ...]:
    """A sentence per place and kind, quoting the suspicious words; a match inside a longer one is
    left out."""
    found: dict[tuple[FindingKind, str], list[str]] = {}
    for finding in findings:
        found.setdefault((finding.kind, finding.where), []).append(finding.quote)
    return tuple(
        _finding_text(kind).format(where=where, words=_quoted(kind, words))
        for (kind, where), words in found.items()
    )


def _finding_text(kind: FindingKind) -> str:
    if kind is FindingKind.HIDDEN_TEXT:
        return tr("Hidden text in {where}: {words}")
    return tr("Possible prompt injection in {where}: {words}")


def _quoted(kind: FindingKind, found: list[str]) -> str:
    words = dict.fromkeys(found)
    outer = [each for each in words if not any(each in o for o in words if o != each)]
    quote = "{}" if kind is FindingKind.HIDDEN_TEXT else tr("“{}”")
    return ", ".join(quote.format(each) for each in outer)


def difference_html(parts: Iterable[DiffPart], palette: Palette) -> str:
    """Added words are underlined, removed ones struck out; colour carries no meaning of its own."""
    styles = {
        WordChange.ADDED: f"background:{palette.hex('ok_soft')}; color:{palette.hex('ok')};"
        " text-decoration:underline",
        WordChange.REMOVED: f"background:{palette.hex('err_soft')}; color:{palette.hex('err')};"
        " text-decoration:line-through",
        WordChange.SAME: f"color:{palette.hex('text2')}",
    }
    spans = (f'<span style="{styles[part.change]}">{_shown(part.text)}</span>' for part in parts)
    return f'<div style="white-space:pre-wrap">{"".join(spans)}</div>'


def _shown(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def cuts_text(cuts: Iterable[Cut]) -> str:
    """Which parts of a list are not shown, in one sentence; empty if none."""
    told = "; ".join(_cut_text(cut.kind, cut.count) for cut in cuts)
    return tr("Parts of the list are not shown: {what}.").format(what=told) if told else ""


def unread_text(unread: Iterable[tuple[str, str]]) -> str:
    """Which lists beside the tools could not be read, and why; empty if none."""
    return " ".join(
        {
            "prompts": tr("Its prompts could not be listed: {why}"),
            "resources": tr("Its resources could not be listed: {why}"),
            "resourceTemplates": tr("Its resource templates could not be listed: {why}"),
        }[name].format(why=why)
        for name, why in unread
    )


def _cut_text(kind: CutKind, count: int) -> str:
    return {
        CutKind.TOO_MANY_TOOLS: tr("%n tools over the limit in Settings", "", count),
        CutKind.LIST_TOO_LONG: tr("%n prompts and resources over the limit", "", count),
        CutKind.BAD_NAME: tr("%n tools with an invalid name", "", count),
        CutKind.SAME_NAME: tr("%n tools with a duplicate name", "", count),
        CutKind.LONG_DESCRIPTION: tr("%n descriptions shortened", "", count),
        CutKind.LARGE_SCHEMA: tr("%n schemas too large", "", count),
        CutKind.DEEP_SCHEMA: tr("%n schemas nested too deeply", "", count),
        CutKind.LONG_SCHEMA_DESCRIPTION: tr("%n parameter descriptions shortened", "", count),
        CutKind.SCHEMA_KEYWORD: tr("%n schema compositions removed", "", count),
        CutKind.OUTSIDE_REFERENCE: tr("%n external references removed", "", count),
        CutKind.MARKUP: tr("%n texts with HTML removed", "", count),
        CutKind.HIDDEN_TEXT: tr("%n texts with hidden characters removed", "", count),
        CutKind.ICON: tr("%n icons removed", "", count),
    }[kind]
