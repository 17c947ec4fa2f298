"""Guesses a server's name from its package, file or address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from router.config.server import ServerConfig

_RUNNERS = frozenset(
    "npx uvx pipx bunx pnpm npm bun uv docker podman deno python python3 py node"
    " run dlx exec x tool".split()
)
_NOISE = frozenset(
    "mcp server servers modelcontextprotocol stdio latest index main build dist src bin lib home"
    " js mjs ts py exe cmd api www com io app ai dev net org co".split()
)


def guess_name(config: ServerConfig) -> str:
    """`npx -y @modelcontextprotocol/server-filesystem /tmp` is `filesystem`,
    `https://mcp.linear.app/mcp` is `linear`."""
    if config.url:
        return _of_url(config.url)
    words = [config.command or "", *config.args]
    guesses = (_of_word(word) for word in _candidates(words))
    return next((guess for guess in guesses if guess), "server")


def _of_url(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return max(_meaningful(host.split(".")), key=len, default=host) or "server"


def _candidates(words: Sequence[str]) -> Iterable[str]:
    """The likeliest words first: one that contains `server`, then the first that is neither a
    switch nor a package runner."""
    plain = [word for word in words if not word.startswith("-") and word not in _RUNNERS]
    yield from (word for word in plain if re.search("mcp|server", word, re.IGNORECASE))
    yield from plain


def _of_word(word: str) -> str:
    """The last part of a path or package name that tells something."""
    without_version = re.sub(r"(?<=.)@[^/]*$", "", word)
    for part in reversed(re.split(r"[/\\]", without_version)):
        if meaningful := _meaningful(re.split(r"[^a-z0-9]+", part.lower())):
            return "-".join(meaningful)
    return ""


def _meaningful(words: Iterable[str]) -> list[str]:
    return [word for word in words if word and word not in _NOISE]
