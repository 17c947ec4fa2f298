"""What a handler of the conformance server reads of its request, and how it sends requests to its
client."""

from __future__ import annotations

import json
from typing import Any, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict

from tests.servers.conformance_content import Json

Context = ServerRequestContext[Any, Any]


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class Sent(BaseModel):
    method: str
    params: dict[str, Any]


def modern(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def params(ctx: Context) -> Json:
    return dict(ctx.params or {})


def answers(ctx: Context) -> Json:
    answers = params(ctx).get("inputResponses")
    return cast(Json, answers) if isinstance(answers, dict) else {}


def content(ctx: Context, key: str) -> Json:
    answer = answers(ctx).get(key)
    content = cast(Json, answer).get("content") if isinstance(answer, dict) else None
    return cast(Json, content) if isinstance(content, dict) else {}


def state(ctx: Context) -> object:
    return params(ctx).get("requestState")


def capabilities(ctx: Context) -> Json:
    declared = ctx.session.client_capabilities
    return declared.model_dump(by_alias=True, exclude_none=True) if declared else {}


def answer_text(answer: Json) -> str:
    return f"action={answer['action']}, content={json.dumps(answer.get('content'))}"


async def ask(ctx: Context, request: Json) -> Json:
    answer = await ctx.session.send_request(
        cast(Any, Sent.model_validate(request)),
        Anything,
        metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
    )
    return answer.model_dump()


async def accept(ctx: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()
