"""What of a tool is searched: the texts of its fields."""

from __future__ import annotations

import re
from enum import IntEnum

from router.domain.json_values import as_object
from router.domain.tools import Tool


class Field(IntEnum):
    """The parts of a definition. What stands in a tool's own name says more than the rest."""

    NAME = 0
    SERVER = 1
    TITLE = 2
    DESCRIPTION = 3
    PARAMETERS = 4


_DEPRECATED = re.compile(
    r"^\W*(?i:deprecated)\b|[\[(](?i:deprecated)\b|\bDEPRECATED\b"
    r"|\b(?i:this (?:tool|function|method|command|endpoint|api) (?:is|was|has been) deprecated)\b"
)
"""What a tool says that is itself deprecated; one that lists deprecated things says otherwise."""


def is_deprecated(tool: Tool) -> bool:
    text = tool.description
    # Hardly any says so: asking first takes a tenth of the time.
    return "deprecated" in text.lower() and _DEPRECATED.search(text) is not None


def field_texts(tool: Tool) -> tuple[str, ...]:
    """The text of each `Field`, in their order."""
    properties = as_object(tool.input_schema.get("properties"))
    parameters = (
        f"{name} {as_object(definition).get('description') or ''}"
        for name, definition in properties.items()
    )
    title = tool.title if tool.title != tool.key.tool else ""
    return (tool.key.tool, tool.server_name, title, tool.description, " ".join(parameters))
