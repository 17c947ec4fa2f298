"""JSON that people write by hand: parsed strictly, errors with their line and a plain sentence.

An error never quotes the file, which may contain a secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ValidationError

from router.config.base import problem_text
from router.domain.errors import ConfigError, sentence
from router.domain.json_values import JsonObject

Location: TypeAlias = tuple[str | int, ...]
ModelT = TypeVar("ModelT", bound=BaseModel)

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_TRAILING_COMMA = re.compile(r",\s*[}\]]")
_TOO_DEEP = "it is nested too deeply"


def decode(path: Path, data: bytes) -> str:
    """The text of a file, which must be UTF-8; a byte order mark is removed."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(path, line, "it is not UTF-8 text") from error


def parse(path: Path, text: str) -> JsonObject:
    """The JSON object in `text`, where no object may have the same key twice."""
    text = text.removeprefix("\ufeff")
    try:
        value: object = json.loads(text, parse_constant=_reject_constant)
        _refuse_duplicate_keys(path, text)
    except json.JSONDecodeError as error:
        raise _syntax_error(path, text, error) from error
    except RecursionError as error:
        raise ConfigError(path, None, _TOO_DEEP) from error
    except ValueError as error:
        raise ConfigError(
            path, None, sentence("invalid JSON number ({reason})", reason=error)
        ) from error
    if not isinstance(value, dict):
        line = _line_at(text, len(text) - len(text.lstrip()))
        raise ConfigError(path, line, "it must be an object: { ... }")
    return cast(JsonObject, value)


def validated(
    model: type[ModelT],
    path: Path,
    text: str,
    value: JsonObject,
    *,
    renamed: Mapping[str, str] | None = None,
) -> ModelT:
    """`value`, which was read from `text`, as a `model`; raises the first error.

    `renamed` has the names in `text` of top-level keys that have another name in `value`.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first, *others = error.errors(include_url=False, include_input=False)
        reason = problem_text(first) + (f" (and {len(others)} more)" if others else "")
        line = line_of(text, _as_written(first["loc"], renamed or {}))
        raise ConfigError(path, line, reason) from None


def dump(value: JsonObject) -> bytes:
    """`value`, indented for editing. A lone surrogate, which UTF-8 can't encode, is written as a
    JSON escape."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "backslashreplace")


def line_of(text: str, loc: Location) -> int | None:
    """The line of the key or list element at `loc`, or of the nearest one around it that exists."""
    best: tuple[int, int] | None = None
    for here, offset in _locations(text):
        depth = len(here)
        if here == loc[:depth] and (best is None or depth > best[0]):
            best = (depth, offset)
    return None if best is None else _line_at(text, best[1])


def _as_written(loc: Location, renamed: Mapping[str, str]) -> Location:
    return tuple(renamed.get(str(part), part) for part in loc[:1]) + loc[1:]


def _syntax_error(path: Path, text: str, error: json.JSONDecodeError) -> ConfigError:
    """Comments and trailing commas get their own messages: other clients' files often have them,
    and Python versions report different positions."""
    before = text[: error.pos].rstrip()
    for comma in (error.pos, len(before) - 1):
        if comma >= 0 and _TRAILING_COMMA.match(text, comma):
            line = _line_at(text, comma)
            return ConfigError(path, line, "trailing comma before a closing bracket")
    if text.startswith(("//", "/*", "#"), error.pos):
        return ConfigError(path, error.lineno, "JSON does not allow comments")
    reason = f"{error.msg[:1].lower()}{error.msg[1:]} (column {error.colno})"
    return ConfigError(path, error.lineno, reason)


def _refuse_duplicate_keys(path: Path, text: str) -> None:
    seen: set[Location] = set()
    for here, offset in _locations(text):
        if here in seen:
            raise ConfigError(
                path, _line_at(text, offset), sentence('duplicate key "{name}"', name=here[-1])
            )
        seen.add(here)


def _locations(text: str) -> Iterator[tuple[Location, int]]:
    """The offset of each key and list element of valid JSON, in the order of the text."""
    tokens = _TOKEN.finditer(text)
    for first in tokens:
        yield from _locations_within((), first.group(), tokens)


def _locations_within(
    loc: Location, opening: str, tokens: Iterator[re.Match[str]]
) -> Iterator[tuple[Location, int]]:
    """Those in the object or list that `opening` begins; any other token is a value without."""
    if opening not in ("{", "["):
        return
    for index, token in enumerate(each for each in tokens if each.group() != ","):
        value = token.group()
        if value in ("}", "]"):
            return
        here = (*loc, str(json.loads(value)) if opening == "{" else index)
        yield here, token.start()
        if opening == "{":
            next(tokens)  # the colon
            value = next(tokens).group()
        yield from _locations_within(here, value, tokens)


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
