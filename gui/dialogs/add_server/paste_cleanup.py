"""Removes what is copied along with a snippet: Markdown fences and quotes, shell prompts, line
continuations. Pure."""

from __future__ import annotations

import re

_FENCED = re.compile(r"```[^\n`]*\n(?P<inside>.*?)```", re.DOTALL)
_MARKED = re.compile(r"`(?P<ticks>[^`\n]+)`|<(?P<angles>\w+:[^<>\s]+)>")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\](?:\([^)]*\))?+)*+\]\((?P<address>\S+?)\)")
_PROMPT = re.compile(r"(?:PS [^>\n]*>|[A-Za-z]:\\[^>\n]*>|[$%>❯➜])\s+")
_GOES_ON = re.compile(r"[\\^`][ \t]*\r?\n[ \t]*")


def unwrapped(text: str) -> str:
    """`text` without Markdown markup."""
    text = text.strip().strip("\N{ZERO WIDTH SPACE}\N{BYTE ORDER MARK}").strip()
    fenced = [found["inside"].rstrip() for found in _FENCED.finditer(text)]
    if fenced:
        return "\n".join(fenced).strip()
    if marked := _MARKED.fullmatch(text):
        return (marked["ticks"] or marked["angles"]).strip()
    linked = _LINK.fullmatch(text)
    return linked["address"] if linked else text


def command_lines(text: str) -> list[str]:
    """The commands of `text`, one per line: no prompts, no comments, continued lines joined."""
    joined = _GOES_ON.sub(" ", text)
    lines = (_PROMPT.sub("", line.strip(), count=1) for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
