"""What the conformance suite expects of a server: prompts, resources, schemas, elicitations."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="


def text(words: str) -> Json:
    return {"content": [{"type": "text", "text": words}]}


def form(message: str, properties: Json, *required: str) -> Json:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {
        "method": "elicitation/create",
        "params": {"message": message, "requestedSchema": schema},
    }


def visit(address: str) -> Json:
    """A URL elicitation."""
    page = {"mode": "url", "message": "Look here.", "url": address, "elicitationId": "1"}
    return {"method": "elicitation/create", "params": page}


def sampling(words: str, most: int) -> Json:
    message = {"role": "user", "content": {"type": "text", "text": words}}
    return {
        "method": "sampling/createMessage",
        "params": {"messages": [message], "maxTokens": most},
    }


ROOTS: Json = {"method": "roots/list", "params": {}}
NAME: Json = {"name": {"type": "string"}}
DEFAULTS: Json = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {
        "type": "string",
        "enum": ["active", "inactive", "pending"],
        "default": "active",
    },
    "verified": {"type": "boolean", "default": True},
}
_CHOICES = [
    {"const": "value1", "title": "First Option"},
    {"const": "value2", "title": "Second Option"},
    {"const": "value3", "title": "Third Option"},
]
ENUMS: Json = {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {"type": "string", "oneOf": _CHOICES},
    "legacyEnum": {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    },
    "untitledMulti": {
        "type": "array",
        "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
    },
    "titledMulti": {"type": "array", "items": {"anyOf": _CHOICES}},
}
PROMPTS: tuple[Json, ...] = (
    {"name": "test_simple_prompt", "description": "A simple prompt"},
    {
        "name": "test_prompt_with_arguments",
        "description": "A prompt with arguments",
        "arguments": [{"name": "arg1", "required": True}, {"name": "arg2", "required": True}],
    },
    {
        "name": "test_prompt_with_embedded_resource",
        "description": "A prompt with a resource in it",
        "arguments": [{"name": "resourceUri", "required": True}],
    },
    {"name": "test_prompt_with_image", "description": "A prompt with a picture"},
    {"name": "test_input_required_result_prompt", "description": "A prompt that asks first"},
)
RESOURCES: tuple[Json, ...] = (
    {"uri": "test://static-text", "name": "Static text", "mimeType": "text/plain"},
    {"uri": "test://static-binary", "name": "Static binary", "mimeType": "image/png"},
    {"uri": "test://watched-resource", "name": "Watched", "mimeType": "text/plain"},
)
TEMPLATE: Json = {
    "uriTemplate": "test://template/{id}/data",
    "name": "Template",
    "mimeType": "application/json",
}
SCHEMAS: dict[str, Json] = {
    "test_sampling": {
        "type": "object",
        "properties": {"prompt": {"type": "string"}},
        "required": ["prompt"],
    },
    "test_repeated_in_headers": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    },
    "test_elicitation": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    },
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}


def resource(uri: str, words: str, media_type: str = "text/plain") -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "text": words}}


def messages(*blocks: Json) -> Json:
    return {"messages": [{"role": "user", "content": block} for block in blocks]}


def wanted(**questions: Json) -> Json:
    return {"resultType": "input_required", "inputRequests": questions}
