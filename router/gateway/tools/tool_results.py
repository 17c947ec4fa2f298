"""Tool results of our own: a text, an error; and the outcome that the activity log records."""

from __future__ import annotations

from router.domain.activity import TOOL_REPORTED, Outcome
from router.domain.json_values import JsonObject
from router.domain.result import Failed, ToolResult


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def text_result(text: str) -> JsonObject:
    return {"content": [text_block(text)]}


def outcome_of(result: ToolResult[JsonObject]) -> tuple[Outcome, str | None]:
    if isinstance(result, Failed):
        return Outcome.DENIED if result.refused else Outcome.ERROR, result.message
    if result.value.get("isError"):
        return Outcome.ERROR, TOOL_REPORTED
    return Outcome.OK, None


def error_text(failure: Failed) -> JsonObject:
    """A failure as the result of a tool with an output schema, which a failure doesn't meet."""
    return {**text_result(failure.sentence), "isError": True}


def error_result(failure: Failed) -> JsonObject:
    """A failure as a tool result that an agent can read and act on."""
    return {
        **error_text(failure),
        "structuredContent": {
            "code": failure.code,
            "message": failure.message,
            "retryable": failure.retryable,
            **_hint(failure),
        },
    }


def _hint(failure: Failed) -> JsonObject:
    if failure.input_schema is not None:
        return {"inputSchema": failure.input_schema}
    return {"hint": failure.hint}
