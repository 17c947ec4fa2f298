"""Detects secrets by the name of a variable or header, or by the shape of the value.

A heuristic that decides what is stored in the keyring and what is masked for display. Arguments and
URLs can't contain secret references, so secrets there can only be masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from router.config.secret_references import secret_references

MASK = "***"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_WORD = re.compile(
    r".*(token|secret|password|passwd|passphrase|credential|apikey|accesskey|privatekey)s?"
    r"|keys?|pwd|pat|authorization|cookies?",
    re.IGNORECASE,
)
_ISSUED = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[\w-]{8,}|gh[opusr]_\w{8,}|github_pat_\w{8,}|glpat-[\w-]{8,}|xox[a-z]-[\w-]{8,}"
    r"|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|eyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*)"
)
"""Token prefixes of well-known issuers, and JSON web tokens."""
_IN_ADDRESS = re.compile(r"(?<=://)(?:\$\{[^}]*\}|[^\s/:@?#$])*:([^\s/@?#]+)(?=@)")
"""`user:password` before the host."""
_NAMED = re.compile(r"-{0,2}(?P<name>[A-Za-z][\w.-]*)(?P<sign>=|:\s*)(?P<value>.+)", re.DOTALL)
"""`--token=X`, `TOKEN=X`, `Authorization: X`."""
_REFERENCE = re.compile(r"(?:Bearer )?\$(?:\{[^}]*\}|\w+)", re.IGNORECASE)


class PlainSecret(NamedTuple):
    """A secret where no reference is possible; `place` describes where."""

    place: str
    value: str


class UnsafeSecret(NamedTuple):
    """A secret that is not stored safely: in plain text in our file at `place`, or, if `plain` is
    false, in memory under that name until the router stops."""

    place: str
    plain: bool


def looks_secret(name: str) -> bool:
    """Whether an environment variable or header of this name usually holds a secret."""
    words = _WORD.findall(name)
    if not words or words[0].lower() == "max" or name.upper() in ("PWD", "OLDPWD"):
        return False
    return words[-1].lower() == "auth" or any(_SECRET_WORD.fullmatch(word) for word in words)


def holds_secret(value: str) -> bool:
    """Whether a value is or contains a secret, whatever its name says."""
    return next(_secrets_in(value, ""), None) is not None


def belongs_in_keyring(name: str, value: str) -> bool:
    """Whether the value of a variable or header belongs in the keyring."""
    if not value or secret_references(value):
        return False
    return looks_secret(name) or holds_secret(value)


def secret_values(values: Mapping[str, str]) -> list[str]:
    """The secrets in an environment or in headers, by name or shape."""
    found: list[str] = []
    for name, value in values.items():
        if looks_secret(name):
            found.append(value)
        else:
            found += [secret.value for secret in _secrets_in(value, name)]
    return found


def plain_secrets(args: Sequence[str], url: str | None) -> tuple[PlainSecret, ...]:
    """The secrets in a command's arguments, or in an address."""
    found = list(_secrets_in(url, "the address")) if url else []
    option = ""
    for word in args:
        found += _secrets_in_word(word, option)
        option = word if word.startswith("-") and "=" not in word else ""
    return tuple(found)


def masked(text: str, secrets: Sequence[PlainSecret]) -> str:
    for value in sorted({secret.value for secret in secrets}, key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


def masked_words(words: Sequence[str]) -> tuple[str, ...]:
    """A command's arguments with secrets masked, for display."""
    secrets = plain_secrets(words, None)
    return tuple(masked(word, secrets) for word in words) if secrets else tuple(words)


def masked_address(url: str) -> str:
    return masked(url, plain_secrets((), url))


def _secrets_in_word(word: str, option: str) -> Iterator[PlainSecret]:
    """`option` is the preceding argument, if it takes a value."""
    named = _NAMED.fullmatch(word)
    if option and not word.startswith("-") and looks_secret(option) and _is_literal(word):
        yield PlainSecret(option, word)
    elif named and looks_secret(named["name"]) and "://" not in named["value"]:
        if _is_literal(named["value"]):
            yield PlainSecret(word[: named.end("name")], named["value"])
    else:
        yield from _secrets_in(word, option or "an argument")


def _secrets_in(text: str, place: str) -> Iterator[PlainSecret]:
    for issued in _ISSUED.finditer(text):
        yield PlainSecret(place, issued[0])
    for in_address in _IN_ADDRESS.finditer(text):
        if _is_literal(in_address[1]):
            yield PlainSecret(place, in_address[1])
    for name, value in _query_of(text):
        if looks_secret(name) and _is_literal(value):
            yield PlainSecret(f"{name} in {place}" if place else name, value)


def _query_of(text: str) -> list[tuple[str, str]]:
    """Not decoded, so that values are found in the text again."""
    if "://" not in text or "?" not in text:
        return []
    try:
        query = urlsplit(text).query.replace("%", "%25").replace("+", "%2B")
    except ValueError:
        return []
    return parse_qsl(query)


def _is_literal(value: str) -> bool:
    """Not a reference to a variable, and long enough to be a secret."""
    return len(value) > 1 and not _REFERENCE.fullmatch(value)
