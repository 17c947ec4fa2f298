"""Secrets out of texts: the values servers were started with, and whatever looks like a credential.

What a server or a library says may quote them; before it reaches a client, a person, a log or the
disk it goes through here. The values are known for as long as their server may use them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import quote

from router.config.secret_detection import MASK, looks_secret
from router.domain.ids import ServerRef
from router.domain.json_values import JsonObject

_SHORTEST = 5
"""Shorter values are found in every other word."""
_CREDENTIALS = re.compile(
    r"(tbt_[0-9a-f]{8}_)[A-Za-z0-9_-]{43}|(?i:(bearer ))[A-Za-z0-9._~+/=-]{8,}"
)

Json: TypeAlias = Any
Source: TypeAlias = Literal["settings", "written", "sign-in"]
"""Where a server's secrets come from; each is known anew without the other being forgotten."""


class Redactor:
    """May be used from any thread: what it knows is replaced, never changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[ServerRef, Source], frozenset[str]] = {}
        self._pattern: re.Pattern[str] | None = None

    def learn(self, ref: ServerRef, values: Iterable[str], source: Source = "settings") -> None:
        """The secret values a server has of this source from now on."""
        forms = (form for value in values if len(value) >= _SHORTEST for form in _forms(value))
        self._know({**self._known, (ref, source): frozenset(forms)})

    def forget(self, ref: ServerRef) -> None:
        kept = {known: forms for known, forms in self._known.items() if known[0] != ref}
        if len(kept) < len(self._known):
            self._know(kept)

    def _know(self, known: dict[tuple[ServerRef, Source], frozenset[str]]) -> None:
        forms = {form for forms in known.values() for form in forms}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._known = known
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None

    def text(self, text: str) -> str:
        if (pattern := self._pattern) is not None:
            text = pattern.sub(MASK, text)
        return _CREDENTIALS.sub(lambda m: f"{m.group(1) or m.group(2)}{MASK}", text)

    def json(self, value: Json, *, by_name: bool = False) -> Json:
        """A JSON value with every text in it redacted; `by_name` also masks what stands under a
        name that looks secret."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(item, by_name=by_name) for item in cast(list[Json], value)]
        if isinstance(value, dict):
            items = cast(JsonObject, value).items()
            return {
                key: MASK if by_name and _is_secret(key, item) else self.json(item, by_name=by_name)
                for key, item in items
            }
        return value


def _is_secret(key: str, value: Json) -> bool:
    return isinstance(value, str) and value != "" and looks_secret(key)


def _forms(value: str) -> set[str]:
    """How a value may be written: as it is, inside JSON, inside an address."""
    return {value, json.dumps(value)[1:-1], quote(value, safe="")}
