"""Saved scripts and dry runs, as window and CLI show them."""

from __future__ import annotations

from dataclasses import dataclass

from router.domain.ids import ToolKey
from router.domain.tools import Parameter


@dataclass(frozen=True, slots=True)
class SavedScript:
    """A saved script: its text, and the description and parameters from the comment at its top."""

    name: str
    text: str
    description: str
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class TrialCall:
    """A call in a dry run. `made`: it was really made, because the tool only reads."""

    key: ToolKey
    arguments: str
    made: bool


@dataclass(frozen=True, slots=True)
class ScriptTrial:
    """The outcome of a dry run: its result as JSON, or why there is none, and its calls."""

    result: str | None
    problem: str | None
    printed: str
    calls: tuple[TrialCall, ...]
