"""A tool as a document: the texts of its indexed fields, and a fingerprint to find duplicates."""

from __future__ import annotations

import re
from enum import IntEnum

from router.domain.json_values import as_object
from router.domain.tools import Tool


class IndexedField(IntEnum):
    """The indexed parts of a tool definition. BM25F and embeddings weight each on its own."""

    NAME = 0
    SERVER = 1
    TITLE = 2
    DESCRIPTION = 3
    PARAMETERS = 4


_DEPRECATED = re.compile(
    r"^\W*(?i:deprecated)\b|[\[(](?i:deprecated)\b|\bDEPRECATED\b"
    r"|\b(?i:this (?:tool|function|method|command|endpoint|api) (?:is|was|has been) deprecated)\b"
)
"""A tool that says it is deprecated. A tool that lists deprecated things does not match."""


def is_deprecated(tool: Tool) -> bool:
    text = tool.description
    # Few tools are: the substring test first takes a tenth of the time.
    return "deprecated" in text.lower() and _DEPRECATED.search(text) is not None


def fingerprint(tool: Tool) -> int:
    """Equal for duplicates: same name, description and parameter names. A tool without a
    description has no duplicates."""
    parameters = tuple(sorted(as_object(tool.input_schema.get("properties"))))
    return hash((tool.key.tool, tool.description or str(tool.key), parameters))


def field_texts(tool: Tool) -> tuple[str, ...]:
    """The text of each `IndexedField`, in their order."""
    properties = as_object(tool.input_schema.get("properties"))
    parameters = (
        f"{name} {as_object(definition).get('description') or ''}"
        for name, definition in properties.items()
    )
    title = tool.title if tool.title != tool.key.tool else ""
    return (tool.key.tool, tool.server_name, title, tool.description, " ".join(parameters))
