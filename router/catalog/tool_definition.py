"""What is derived from a tool definition: call signature, parameters, effect and cost in tokens.

Definitions come from servers and are untrusted; what is malformed is left out, never an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast, overload

from router.catalog.schema_refs import Resolver
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.permissions import Permission
from router.domain.servers import PromptResourceLists, PromptResourceView
from router.domain.tool_lists import Approval, PreparedListing
from router.domain.tools import DataSource, Effect, Parameter, Tool, ToolView

CHARACTERS_PER_TOKEN = 4
"""An estimate: four characters of JSON are one token of a model's context."""

_TYPES = ("string", "integer", "number", "boolean", "object", "null")
FULL_NAMES = {name: name for name in _TYPES}
_SHORT_NAMES = FULL_NAMES | {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
}
_KINDS: dict[str, type] = {
    "title": str,
    "description": str,
    "inputSchema": dict,
    "outputSchema": dict,
    "annotations": dict,
    "execution": dict,
    "icons": list,
    "_meta": dict,
}
_MAX_ENUM_VALUES = 6
_MAX_DEPTH = 4
_CHARACTERS_PER_VALUE = 8


def context_tokens(value: object) -> int:
    """About how many tokens `value` costs in a model's context."""
    text = value if isinstance(value, str) else compact_json(value)
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def result_tokens(result: JsonObject) -> int:
    """About how many tokens a tool result costs: those of its text, without serializing it."""
    texts = (as_object(block).get("text") for block in as_array(result.get("content")))
    length = sum(len(text) for text in texts if isinstance(text, str))
    return -(-length // CHARACTERS_PER_TOKEN)


def estimated_json_length(value: object, enough: int) -> int:
    """About how long `value` is as JSON; counting stops once it exceeds `enough`."""
    length = 0
    stack = [value]
    while stack and length <= enough:
        item = stack.pop()
        length += _CHARACTERS_PER_VALUE
        if isinstance(item, str):
            length += len(item)
        elif isinstance(item, list):
            stack += cast("list[object]", item)
        elif isinstance(item, dict):
            members = cast(JsonObject, item)
            length += sum(len(key) for key in members)
            stack += members.values()
    return length


def compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_tool(server: ServerId, server_name: str, wire: JsonObject) -> Tool:
    """The `Tool` for a definition whose name is already checked."""
    name = str(wire["name"])
    return Tool(
        key=ToolKey(server, name),
        server_name=server_name,
        wire=wire,
        signature=signature(name, as_object(wire.get("inputSchema"))),
        context_tokens=context_tokens(wire),
    )


class Parameters(Sequence[Parameter]):
    """A tool's parameters, parsed on first access: of thousands of tools, few are looked at."""

    __slots__ = ("_read", "_schema")

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._read: tuple[Parameter, ...] | None = None

    @overload
    def __getitem__(self, index: int) -> Parameter: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Parameter, ...]: ...
    def __getitem__(self, index: int | slice) -> Parameter | tuple[Parameter, ...]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> tuple[Parameter, ...]:
        if self._read is None:
            self._read = parameters(self._schema)
        return self._read


def tool_view(tool: Tool, approval: Approval) -> ToolView:
    """A tool for display, before permissions and its server's state are applied."""
    return ToolView(
        tool.key,
        tool.title,
        tool.description,
        tool.signature,
        Parameters(tool.input_schema),
        effect(tool.annotations),
        tool.context_tokens,
        Permission.ALLOW,
        available=False,
        last_seen=None,
        source=DataSource.CACHED,
        approval=approval,
        findings=tool.findings,
    )


def valid_definition(wire: JsonObject) -> JsonObject:
    """A definition without malformed fields: one of them could make a client reject all tools."""
    kept = {key: value for key, value in wire.items() if isinstance(value, _KINDS.get(key, object))}
    return {**kept, "inputSchema": _object_schema(as_object(wire.get("inputSchema")))}


def _object_schema(schema: JsonObject) -> JsonObject:
    """`schema` as that of an object, without malformed properties and required names."""
    valid: JsonObject = {**schema, "type": "object"}
    if "properties" in schema:
        properties = as_object(schema["properties"])
        valid["properties"] = {name: as_object(each) for name, each in properties.items()}
    if "required" in schema:
        valid["required"] = [n for n in as_array(schema["required"]) if isinstance(n, str)]
    return valid


def signature(name: str, schema: JsonObject) -> str:
    """`create_issue(owner: str, title: str, labels?: str[])`, required parameters first."""
    required = _required(schema)
    properties = as_object(schema.get("properties"))
    arguments = [
        f"{parameter}{'' if parameter in required else '?'}: {type_name(properties[parameter])}"
        for parameter in sorted(properties, key=lambda parameter: parameter not in required)
    ]
    return f"{name}({', '.join(arguments)})"


def parameters(schema: JsonObject) -> tuple[Parameter, ...]:
    """The parameters for display, with the type names of JSON Schema."""
    required, resolver = _required(schema), Resolver(schema)
    return tuple(
        _parameter(name, resolver.resolved(definition), name in required)
        for name, definition in as_object(schema.get("properties")).items()
    )


def _parameter(name: str, definition: JsonObject, required: bool) -> Parameter:
    description = str(definition.get("description") or "")
    return Parameter(name, type_name(definition, FULL_NAMES), required, description, definition)


def effect(annotations: JsonObject) -> Effect:
    """The effect according to the annotations; `UNKNOWN` without them."""
    if annotations.get("readOnlyHint") is True:
        return Effect.READS
    if annotations.get("destructiveHint") is True:
        return Effect.DESTRUCTIVE
    if annotations.get("readOnlyHint") is False or annotations.get("destructiveHint") is False:
        return Effect.WRITES
    return Effect.UNKNOWN


def type_name(definition: object, names: Mapping[str, str] = _SHORT_NAMES, depth: int = 0) -> str:
    """A schema's type in short: `str`, `int[]`, `"open"|"closed"`."""
    schema = as_object(definition)
    if values := as_array(schema.get("enum")):
        return enum_name(values, _MAX_ENUM_VALUES)
    for keyword in ("anyOf", "oneOf"):
        if (options := as_array(schema.get(keyword))) and depth < _MAX_DEPTH:
            return _union(type_name(option, names, depth + 1) for option in options)
    declared = schema.get("type")
    types = as_array(declared) or [declared]
    return _union(_simple_type(each, schema, names, depth) for each in types)


def _simple_type(declared: object, schema: JsonObject, names: Mapping[str, str], depth: int) -> str:
    if declared == "array":
        items = type_name(schema.get("items"), names, depth + 1) if depth < _MAX_DEPTH else "any"
        return f"({items})[]" if "|" in items else f"{items}[]"
    return names.get(str(declared), "any")


def enum_name(values: Sequence[object], max_values: int) -> str:
    shown = [compact_json(value) for value in values[:max_values]]
    return "|".join(shown if len(values) <= max_values else [*shown, "…"])


def _union(names: Iterable[str]) -> str:
    distinct = dict.fromkeys(names)
    distinct.pop("null", None)
    return "|".join(distinct) or "null"


def _required(schema: JsonObject) -> set[str]:
    return {name for name in as_array(schema.get("required")) if isinstance(name, str)}


def prompt_resource_lists(listing: PreparedListing) -> PromptResourceLists:
    """A server's prompts and resources for display."""
    prompts = [_prompt_resource_view(each, _arguments(each)) for each in listing.prompts]
    resources = [
        _prompt_resource_view(each, str(each.get("uri") or each.get("uriTemplate") or ""))
        for each in (*listing.resources, *listing.resource_templates)
    ]
    return PromptResourceLists(tuple(prompts), tuple(resources))


def _prompt_resource_view(entry: JsonObject, detail: str) -> PromptResourceView:
    name = str(entry.get("name") or detail)
    title = str(entry.get("title") or name)
    return PromptResourceView(name, title, str(entry.get("description") or ""), detail)


def _arguments(prompt: JsonObject) -> str:
    """`topic, length?`: optional ones have a question mark."""
    arguments = [as_object(each) for each in as_array(prompt.get("arguments"))]
    return ", ".join(f"{a.get('name')}{'' if a.get('required') else '?'}" for a in arguments)
