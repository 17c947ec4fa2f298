"""Reading a tool definition: its call signature, parameters, effect and cost in tokens.

Definitions come from servers and may be anything; what can't be read is left out, never an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast, overload

from router.catalog.schema_refs import Resolver
from router.domain.ids import ServerId, ToolKey
from router.domain.json_values import JsonObject, as_array, as_object
from router.domain.permissions import Permission
from router.domain.servers import OfferView, ServerOffers
from router.domain.tool_lists import Approval, PreparedListing
from router.domain.tools import DataSource, Effect, Parameter, Tool, ToolView

CHARACTERS_PER_TOKEN = 4
"""How we count: about four characters of JSON are one token of a model's context."""

_TYPES = ("string", "integer", "number", "boolean", "object", "null")
_IN_FULL = {name: name for name in _TYPES}
_IN_SHORT = _IN_FULL | {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
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
    """About what a tool result costs, without writing it out: the text it brings."""
    texts = (as_object(block).get("text") for block in as_array(result.get("content")))
    length = sum(len(text) for text in texts if isinstance(text, str))
    return -(-length // CHARACTERS_PER_TOKEN)


def about_characters(value: object, enough: int) -> int:
    """About how long `value` is as JSON; counted no further than to more than `enough`."""
    length = 0
    waiting = [value]
    while waiting and length <= enough:
        item = waiting.pop()
        length += _CHARACTERS_PER_VALUE
        if isinstance(item, str):
            length += len(item)
        elif isinstance(item, list):
            waiting += cast("list[object]", item)
        elif isinstance(item, dict):
            members = cast(JsonObject, item)
            length += sum(len(key) for key in members)
            waiting += members.values()
    return length


def compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_tool(server: ServerId, server_name: str, wire: JsonObject) -> Tool:
    """The `Tool` for a definition whose name the cache has already checked."""
    name = str(wire["name"])
    return Tool(
        key=ToolKey(server, name),
        server_name=server_name,
        wire=wire,
        signature=signature(name, as_object(wire.get("inputSchema"))),
        context_tokens=context_tokens(wire),
    )


class Parameters(Sequence[Parameter]):
    """A tool's parameters, read when somebody looks at them: of thousands of tools, few are."""

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


def described(tool: Tool, approval: Approval) -> ToolView:
    """A tool as people see it, before anything is known of its server's state."""
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


def listable(wire: JsonObject) -> JsonObject:
    """A definition as every client can read it: one bad field would cost a client all tools."""
    kept = {key: value for key, value in wire.items() if isinstance(value, _KINDS.get(key, object))}
    return {**kept, "inputSchema": _object_schema(as_object(wire.get("inputSchema")))}


def _object_schema(schema: JsonObject) -> JsonObject:
    """`schema` as one of an object, without properties and required names that are none."""
    mended: JsonObject = {**schema, "type": "object"}
    if "properties" in schema:
        properties = as_object(schema["properties"])
        mended["properties"] = {name: as_object(each) for name, each in properties.items()}
    if "required" in schema:
        mended["required"] = [n for n in as_array(schema["required"]) if isinstance(n, str)]
    return mended


def signature(name: str, schema: JsonObject) -> str:
    """`create_issue(owner: str, title: str, labels?: str[])`, required parameters first."""
    required = _required(schema)
    properties = as_object(schema.get("properties"))
    ordered = [p for p in properties if p in required] + [
        p for p in properties if p not in required
    ]
    arguments = [
        f"{parameter}{'' if parameter in required else '?'}: {type_name(properties[parameter])}"
        for parameter in ordered
    ]
    return f"{name}({', '.join(arguments)})"


def parameters(schema: JsonObject) -> tuple[Parameter, ...]:
    """The parameters for people, with types in JSON Schema's own words."""
    required, resolver = _required(schema), Resolver(schema)
    return tuple(
        _parameter(name, resolver.resolved(definition), name in required)
        for name, definition in as_object(schema.get("properties")).items()
    )


def _parameter(name: str, definition: JsonObject, required: bool) -> Parameter:
    said = str(definition.get("description") or "")
    return Parameter(name, type_name(definition, _IN_FULL), required, said, definition)


def effect(annotations: JsonObject) -> Effect:
    """What the tool claims; without a claim we say so rather than guess."""
    if annotations.get("readOnlyHint") is True:
        return Effect.READS
    if annotations.get("destructiveHint") is True:
        return Effect.DESTRUCTIVE
    if annotations.get("readOnlyHint") is False or annotations.get("destructiveHint") is False:
        return Effect.WRITES
    return Effect.UNKNOWN


def type_name(definition: object, names: Mapping[str, str] = _IN_SHORT, depth: int = 0) -> str:
    """A schema's type in few characters: `str`, `int[]`, `"open"|"closed"`."""
    schema = as_object(definition)
    if values := as_array(schema.get("enum")):
        return _enum_name(values)
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


def _enum_name(values: Sequence[object]) -> str:
    shown = [compact_json(v) for v in values[:_MAX_ENUM_VALUES]]
    return "|".join(shown if len(values) <= _MAX_ENUM_VALUES else [*shown, "…"])


def _union(names: Iterable[str]) -> str:
    distinct = dict.fromkeys(names)
    distinct.pop("null", None)
    return "|".join(distinct) or "null"


def _required(schema: JsonObject) -> set[str]:
    return {name for name in as_array(schema.get("required")) if isinstance(name, str)}


def offers(listing: PreparedListing) -> ServerOffers:
    """Prompts and resources as people read them."""
    prompts = [_offer(each, _arguments(each)) for each in listing.prompts]
    fixed = [_offer(each, str(each.get("uri") or "")) for each in listing.resources]
    open_ones = [
        _offer(each, str(each.get("uriTemplate") or "")) for each in listing.resource_templates
    ]
    return ServerOffers(tuple(prompts), (*fixed, *open_ones))


def _offer(entry: JsonObject, detail: str) -> OfferView:
    name = str(entry.get("name") or detail)
    title = str(entry.get("title") or name)
    return OfferView(name, title, str(entry.get("description") or ""), detail)


def _arguments(prompt: JsonObject) -> str:
    """`topic, length?`: what is optional has a question mark."""
    arguments = [as_object(each) for each in as_array(prompt.get("arguments"))]
    return ", ".join(f"{a.get('name')}{'' if a.get('required') else '?'}" for a in arguments)
