"""Scripts that people keep, as window and CLI see and change them."""

from __future__ import annotations

from dataclasses import dataclass

from router.domain.ids import ToolKey
from router.domain.tools import Parameter


@dataclass(frozen=True, slots=True)
class SavedScript:
    """A script that a person keeps: its file, and what the comment at its top says about it."""

    name: str
    text: str
    description: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class TrialCall:
    """A call in a dry run. `made`: it really happened, because its tool only reads."""

    key: ToolKey
    arguments: str
    made: bool


@dataclass(frozen=True, slots=True)
class ScriptTrial:
    """What came of a dry run: a result in JSON, or why there is none, and the calls on the way."""

    result: str | None
    problem: str | None
    printed: str
    calls: tuple[TrialCall, ...]
