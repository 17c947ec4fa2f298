"""Links that install a server into some application: ours, Cursor, VS Code, LM Studio, Goose. Pure.

Each is read as the name it suggests, if any, and the entry it would write. A link may come from
anywhere: its length is limited, invisible characters are refused, and only the keys that say how
to reach a server are used.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import TypeAlias, cast
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from gui.desktop.url_scheme import SCHEME
from gui.text.tr import tr
from router.domain.errors import InvalidInput
from router.domain.json_values import JsonObject, as_object
from router.domain.visible_text import is_visible

NamedEntry: TypeAlias = tuple[str, JsonObject]

_VS_CODE = ("vscode", "vscode-insiders")
_SCHEMES = (SCHEME, "cursor", "lmstudio", "goose", *_VS_CODE)
_ACTION = "add"
_ALLOWED_KEYS = ("type", "command", "args", "env", "cwd", "url", "serverUrl", "httpUrl", "headers")
_REDIRECT_PAGE = re.compile(
    r"https://(?:www\.)?cursor\.com/(?:[a-z-]+/)?install-mcp\?"
    r"|https://(?:insiders\.)?vscode\.dev/redirect(?:/mcp/install)?\?",
    re.IGNORECASE,
)
"""Pages that pass a link on to the application, as the badges in a README do."""
MAX_LENGTH = 16_384


def is_link(text: str) -> bool:
    if any(character.isspace() for character in text):
        return False
    return text.partition(":")[0].lower() in _SCHEMES or bool(_REDIRECT_PAGE.match(text))


def read_link(text: str) -> NamedEntry:
    """The server an installation link describes; raises InvalidInput."""
    if len(text) > MAX_LENGTH:
        raise InvalidInput(tr("This link is too long to add a server."))
    try:
        if not is_link(text):  # The dialog would read it as a command.
            raise ValueError("it has spaces")
        name, entry = _read(urlsplit(text))
        allowed = {key: entry[key] for key in _ALLOWED_KEYS if key in entry}
        has_invisible = not all(map(is_visible, "".join([text, name, *_strings(allowed)])))
    except (ValueError, binascii.Error, KeyError, IndexError, RecursionError):
        raise InvalidInput(tr("This link does not describe a server.")) from None
    if has_invisible:
        raise InvalidInput(tr("This link contains invisible characters."))
    return name, allowed


def _read(parts: SplitResult) -> NamedEntry:
    if parts.netloc.endswith("vscode.dev"):
        return _vs_code_redirect(parts)
    if parts.scheme in _VS_CODE:
        entry = as_object(json.loads(unquote(parts.query)))
        return str(entry.get("name") or ""), entry
    if parts.scheme == SCHEME and (parts.netloc + parts.path).rstrip("/").lower() != _ACTION:
        raise ValueError("it is for something else")
    if parts.scheme == "goose" or (parts.scheme == SCHEME and "config=" not in parts.query):
        return _goose(parts)
    return _encoded(parts)


def _strings(value: object) -> Iterator[str]:
    """All texts in a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in cast(JsonObject, value).items():
            yield key
            yield from _strings(each)
    elif isinstance(value, list):
        for each in cast(list[object], value):
            yield from _strings(each)


def _encoded(parts: SplitResult) -> NamedEntry:
    """`name` and `config`, which is JSON in base64 with or without its padding."""
    query = parse_qs(parts.query, strict_parsing=True)
    text = query["config"][0].replace(" ", "+").replace("-", "+").replace("_", "/")
    padded = text + "=" * (-len(text) % 4)
    entry = as_object(json.loads(base64.b64decode(padded, validate=True)))
    name = query.get("name", [""])[0]
    inner = as_object(entry.get(name))
    return name, inner or entry


def _vs_code_redirect(parts: SplitResult) -> NamedEntry:
    """The link VS Code's page passes on, or the name and the JSON it makes one of."""
    query = parse_qs(parts.query, strict_parsing=True)
    if "url" in query:
        inner = urlsplit(query["url"][0])
        if inner.scheme not in _VS_CODE:
            raise ValueError("it passes something else on")
        return _read(inner)
    return query.get("name", [""])[0], as_object(json.loads(query["config"][0]))


def _goose(parts: SplitResult) -> NamedEntry:
    query = parse_qs(parts.query, strict_parsing=True)
    name = query.get("name", query.get("id", [""]))[0]
    if "url" in query:
        headers = dict(each.split("=", 1) for each in query.get("header", []))
        return name, {"url": query["url"][0], "headers": headers}
    env = {re.split("[=~]", each, maxsplit=1)[0]: "" for each in query.get("env", [])}
    return name, {"command": query["cmd"][0], "args": query.get("arg", []), "env": env}
