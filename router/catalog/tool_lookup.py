"""Which tool an agent means that names it in another way than by its key.

Agents write `server__tool`, the names that people see, or the tool's own name alone. Any of them is
accepted if only one tool of the view can be meant; no name leads outside the view.
"""

from __future__ import annotations

from router.catalog.view import View
from router.domain.errors import InvalidInput, sentence
from router.domain.ids import ServerId, ToolKey
from router.domain.names import SEPARATOR, folded, parse_tool_key

_MAX_SHOWN = 5


def find_tool_key(view: View, text: str) -> ToolKey:
    """The key of the tool that `text` names. A key that no tool has is returned as it is: its
    caller says what is wrong with it. Raises `InvalidInput`."""
    text = text.strip()
    key = parse_name(view, text)
    if key is not None and key in view.tools:
        return key
    if (exposed := view.exposed.get(text)) is not None:
        return exposed
    found = view.keys_by_name.get(folded(text), ())
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(map(str, found[:_MAX_SHOWN]))
        raise InvalidInput(
            sentence('"{name}" is the name of several tools.', name=text),
            sentence("Give a toolKey: {keys}", keys=keys),
        )
    return parse_tool_key(text) if key is None else key


def parse_name(view: View, text: str) -> ToolKey | None:
    """The key that `text` is, if it names a server and a tool: `server:tool` or `server__tool`,
    with the server's id or name. Such a tool need not exist."""
    server, colon, tool = text.partition(":")
    if not colon:
        server, _, tool = text.partition(SEPARATOR)
    if not (server and tool):
        return None
    named = [entry.id for entry in view.servers if entry.name == server]
    if any(entry.id == server for entry in view.servers) or len(named) != 1:
        return ToolKey(ServerId(server), tool)
    return ToolKey(named[0], tool)
