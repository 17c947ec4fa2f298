"""Typed text to the JSON value a tool takes. Pure."""

from __future__ import annotations

import json
import re
from datetime import date, datetime

from gui.dialogs.try_tool.schema import Shape, ShapeKind
from gui.text.tr import tr
from router.domain.errors import InvalidInput

_INTEGER = re.compile(r"[+-]?\d+")
_READERS = {"date": date.fromisoformat, "date-time": datetime.fromisoformat}


def value_of(name: str, shape: Shape, text: str) -> object:
    """`text`, typed for `name`, as a value of `shape`; raises InvalidInput."""
    match shape.kind:
        case ShapeKind.STRING:
            return _text(name, shape, text)
        case ShapeKind.INTEGER:
            return _integer(name, text.strip())
        case ShapeKind.NUMBER:
            return _number(name, text.strip())
        case _:
            return _json(name, text)


def _text(name: str, shape: Shape, text: str) -> str:
    try:
        _READERS.get(shape.format, str)(text)
    except ValueError:
        template = tr("{name} is not a valid date. Example: {example}.")
        raise InvalidInput(template.format(name=name, example=shape.example)) from None
    return text


def _integer(name: str, text: str) -> int:
    try:
        if _INTEGER.fullmatch(text):
            return int(text)
    except ValueError:  # Too many digits for Python.
        pass
    raise InvalidInput(tr("{name} is not a whole number.").format(name=name))


def _number(name: str, text: str) -> int | float:
    """Integers stay exact, however large; infinity and NaN are refused."""
    try:
        value = int(text) if _INTEGER.fullmatch(text) else float(text)
    except ValueError:
        value = float("nan")
    if value != value or value in (float("inf"), float("-inf")):
        raise InvalidInput(tr("{name} is not a number.").format(name=name))
    return value


def _json(name: str, text: str) -> object:
    """A bare word is a string; what starts like JSON must be JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] in ("[", "{", '"'):
            template = tr("{name} is not valid JSON: {problem}.")
            raise InvalidInput(template.format(name=name, problem=error)) from None
        return text
