"""Links that install a server into some application: Cursor, VS Code, LM Studio, Goose. Pure.

Each comes to the name it suggests, if any, and the entry it would write.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TypeAlias
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from gui.translating import tr
from router.errors import InvalidInput
from router.model import JsonObject, as_object

NamedEntry: TypeAlias = tuple[str, JsonObject]

_VS_CODE = ("vscode", "vscode-insiders")
_SCHEMES = ("cursor", "lmstudio", "goose", *_VS_CODE)


def is_link(text: str) -> bool:
    return text.partition(":")[0] in _SCHEMES and not any(c.isspace() for c in text)


def read_link(text: str) -> NamedEntry:
    """The server an installation link describes; raises InvalidInput."""
    parts = urlsplit(text)
    try:
        if parts.scheme in _VS_CODE:
            entry = as_object(json.loads(unquote(parts.query)))
            return str(entry.get("name") or ""), entry
        if parts.scheme == "goose":
            return _goose(parts)
        return _encoded(parts)
    except (ValueError, binascii.Error, KeyError, IndexError):
        raise InvalidInput(tr("This link does not describe a server.")) from None


def _encoded(parts: SplitResult) -> NamedEntry:
    """`name` and `config`, which is JSON in base64 with or without its padding."""
    query = parse_qs(parts.query, strict_parsing=True)
    text = query["config"][0].replace(" ", "+").replace("-", "+").replace("_", "/")
    padded = text + "=" * (-len(text) % 4)
    entry = as_object(json.loads(base64.b64decode(padded, validate=True)))
    name = query.get("name", [""])[0]
    inner = as_object(entry.get(name))
    return name, inner or entry


def _goose(parts: SplitResult) -> NamedEntry:
    query = parse_qs(parts.query, strict_parsing=True)
    name = query.get("name", query.get("id", [""]))[0]
    if "url" in query:
        headers = dict(each.split("=", 1) for each in query.get("header", []))
        return name, {"url": query["url"][0], "headers": headers}
    env = {each.split("~", 1)[0]: "" for each in query.get("env", [])}
    return name, {"command": query["cmd"][0], "args": query.get("arg", []), "env": env}
