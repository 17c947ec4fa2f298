"""Redacts secrets: the values servers were started with, and whatever looks like a credential.

Text from a server or a library may quote them, so it is redacted before it reaches a client, the
user, a log or the disk. The values are known for as long as their server may use them.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import quote, quote_plus

from router.config.secret_detection import MASK, looks_secret
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject

_MIN_LENGTH = 5
"""Shorter values occur by chance in ordinary text."""
_MIN_BASE64 = 8
_ESCAPE = re.compile("%[0-9A-F]{2}")
_CREDENTIALS = re.compile(
    r"(tbt_[0-9a-f]{8}_)[A-Za-z0-9_-]{43}|(?i:(bearer ))[A-Za-z0-9._~+/=-]{8,}"
)

Json: TypeAlias = Any
Source: TypeAlias = Literal["settings", "written", "sign-in"]
"""Where a server's secrets come from; setting those of one source keeps the others."""


class Redactor:
    """Thread-safe: its state is replaced, never mutated."""

    def __init__(self) -> None:
        self._known: dict[tuple[ServerRef, Source], frozenset[str]] = {}
        self._pattern: re.Pattern[str] | None = None

    def set_secrets(
        self, ref: ServerRef, values: Iterable[str], source: Source = "settings"
    ) -> None:
        """Replace the secret values a server has from this source."""
        forms = (form for value in values if len(value) >= _MIN_LENGTH for form in _forms(value))
        self._replace_known({**self._known, (ref, source): frozenset(forms)})

    def forget(self, ref: ServerRef) -> None:
        kept = {known: forms for known, forms in self._known.items() if known[0] != ref}
        if len(kept) < len(self._known):
            self._replace_known(kept)

    def _replace_known(self, known: dict[tuple[ServerRef, Source], frozenset[str]]) -> None:
        forms = {form for forms in known.values() for form in forms}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._known = known
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None

    def text(self, text: str) -> str:
        """`text` without secrets; itself if there are none, so that a `Sentence` stays one."""
        pattern = self._pattern
        masked = text if pattern is None else pattern.sub(MASK, text)
        masked = _CREDENTIALS.sub(lambda m: f"{m.group(1) or m.group(2)}{MASK}", masked)
        return text if masked == text else masked

    def json(self, value: Json, *, by_name: bool = False) -> Json:
        """A JSON value with every string in it redacted; `by_name` also masks values whose key
        looks secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item, by_name=by_name) for item in cast(list[Json], value)]
        if isinstance(value, dict):
            items = cast(JsonObject, value).items()
            return {
                self.text(key): MASK
                if by_name and _is_secret(key, item)
                else self.json(item, by_name=by_name)
                for key, item in items
            }
        return value


def _is_secret(key: str, value: Json) -> bool:
    return isinstance(value, str) and value != "" and looks_secret(key)


def _forms(value: str) -> set[str]:
    """How a value may be written: as it is, inside JSON, HTML, a URL or base64."""
    quoted = {quote(value, safe=""), quote(value), quote_plus(value)}
    lower = {_ESCAPE.sub(lambda escape: escape[0].lower(), each) for each in quoted}
    return {value, json.dumps(value)[1:-1], escape(value), *quoted, *lower, *_in_base64(value)}


def _in_base64(value: str) -> Iterator[str]:
    """The characters that stand for a value in base64, wherever in the encoded text it begins."""
    raw = value.encode("utf-8", "surrogatepass")
    for before in range(3):
        encoded = b64encode(bytes(before) + raw).decode().rstrip("=")
        first, end = -(-before * 8 // 6), (before + len(raw)) * 8 // 6
        if end - first >= _MIN_BASE64:
            certain = encoded[first:end]
            yield from (certain, certain.replace("+", "-").replace("/", "_"))
