"""An MCP server over HTTP with everything the official conformance suite requires of a server.

In a test: `with serving(conformance_app(modern_only=...)) as url: ...`. In legacy revisions it
sends requests to its client during a call; in the modern one it returns `input_required`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, cast

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp

from tests.servers.conformance_content import (
    DEFAULTS,
    ENUMS,
    NAME,
    PNG,
    PROMPTS,
    RESOURCES,
    ROOTS,
    SCHEMAS,
    TEMPLATE,
    WAV,
    Json,
    form,
    messages,
    resource,
    sampling,
    text,
    visit,
    wanted,
)
from tests.servers.conformance_context import (
    Context,
    Sent,
    accept,
    answer_text,
    answers,
    ask,
    capabilities,
    content,
    modern,
    state,
)
from tests.servers.http_server import ModernOnly

_PAUSE_S = 0.05


class Conformance:
    """The server's state and its responses."""

    def __init__(self) -> None:
        self._bus = InMemorySubscriptionBus()
        self._changes = 0
        self._tools: dict[str, Callable[[Context, Json], Awaitable[Json]]] = {
            "test_simple_text": _returns_text("This is a simple text response for testing."),
            "test_image_content": _returns({"type": "image", "data": PNG, "mimeType": "image/png"}),
            "test_audio_content": _returns({"type": "audio", "data": WAV, "mimeType": "audio/wav"}),
            "test_embedded_resource": _returns(
                resource("test://embedded-resource", "This is an embedded resource content.")
            ),
            "test_multiple_content_types": _returns(
                {"type": "text", "text": "Multiple content types test:"},
                {"type": "image", "data": PNG, "mimeType": "image/png"},
                resource(
                    "test://mixed-content-resource",
                    '{"test":"data","value":123}',
                    "application/json",
                ),
            ),
            "test_tool_with_logging": self._log,
            "test_logging_tool": self._log,
            "test_tool_with_progress": self._progress,
            "test_error_handling": self._fail,
            "test_sampling": self._sample,
            "test_elicitation": self._elicit,
            "test_elicitation_sep1034_defaults": self._elicit_defaults,
            "test_elicitation_sep1330_enums": self._elicit_enums,
            "json_schema_2020_12_tool": _returns_text("The schema is what this tool is about."),
            "test_repeated_in_headers": _returns_text("The headers said the same."),
            "test_missing_capability": self._need_sampling,
            "test_streaming_elicitation": self._ask_name,
            "test_trigger_tool_change": self._change_tools,
            "test_trigger_prompt_change": self._change_prompts,
            "test_input_required_result_elicitation": self._ask_name,
            "test_input_required_result_sampling": self._ask_capital,
            "test_input_required_result_list_roots": self._ask_roots,
            "test_input_required_result_request_state": self._confirm,
            "test_input_required_result_tampered_state": self._confirm,
            "test_input_required_result_multiple_inputs": self._ask_several,
            "test_input_required_result_multi_round": self._ask_in_rounds,
            "test_input_required_result_capabilities": self._ask_by_capabilities,
        }
        self.server: Server[Any] = Server(
            "conformance", version="1", get_tool_input_schema=lambda _: None
        )

        def answer(
            method: str, params: type[Any], handler: Callable[[Context, Any], Awaitable[Any]]
        ) -> None:
            self.server.add_request_handler(method, params, _complete(handler))

        answer("tools/list", types.PaginatedRequestParams, self._list_tools)
        answer("tools/call", types.CallToolRequestParams, self._call_tool)
        answer("prompts/list", types.PaginatedRequestParams, self._list_prompts)
        answer("prompts/get", types.GetPromptRequestParams, self._get_prompt)
        answer("resources/list", types.PaginatedRequestParams, self._list_resources)
        answer("resources/templates/list", types.PaginatedRequestParams, self._list_templates)
        answer("resources/read", types.ReadResourceRequestParams, self._read)
        answer("resources/subscribe", types.SubscribeRequestParams, accept)
        answer("resources/unsubscribe", types.UnsubscribeRequestParams, accept)
        answer("completion/complete", types.CompleteRequestParams, self._complete)
        answer("logging/setLevel", types.SetLevelRequestParams, accept)
        self.server.add_request_handler(
            "subscriptions/listen",
            types.SubscriptionsListenRequestParams,
            ListenHandler(self._bus),
        )
        seal = RequestStateSecurity.ephemeral()
        self.server.middleware.append(RequestStateBoundary(seal, default_audience="conformance"))

    # Tools

    async def _list_tools(self, ctx: Context, params: Any) -> Json:
        tools = [
            {"name": name, "description": name, "inputSchema": SCHEMAS.get(name, _NO_ARGUMENTS)}
            for name in self._tools
        ]
        extra = {
            "name": f"extra_{self._changes}",
            "description": "Another one after each change",
            "inputSchema": _NO_ARGUMENTS,
        }
        return {"tools": [*tools, extra], **_CACHING}

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> Json:
        if (tool := self._tools.get(params.name)) is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
        return await tool(ctx, params.arguments or {})

    async def _log(self, ctx: Context, arguments: Json) -> Json:
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            params = {"level": "info", "data": words}
            message = Sent(method="notifications/message", params=params)
            if not modern(ctx) or types.LOG_LEVEL_META_KEY in (ctx.meta or {}):
                await ctx.session.send_notification(cast(Any, message), ctx.request_id)
            await asyncio.sleep(_PAUSE_S)
        return text("Done.")

    async def _progress(self, ctx: Context, arguments: Json) -> Json:
        for step in (0, 50, 100):
            await ctx.session.report_progress(step, 100)
            await asyncio.sleep(_PAUSE_S)
        return text("Done.")

    async def _fail(self, ctx: Context, arguments: Json) -> Json:
        return {**text("This tool intentionally returns an error for testing"), "isError": True}

    async def _sample(self, ctx: Context, arguments: Json) -> Json:
        answer = await ask(ctx, sampling(arguments["prompt"], 100))
        return text(f"LLM response: {answer['content']['text']}")

    async def _elicit(self, ctx: Context, arguments: Json) -> Json:
        if "url" in arguments:
            return text(answer_text(await ask(ctx, visit(arguments["url"]))))
        fields = {
            "username": {"type": "string", "description": "User's response"},
            "email": {"type": "string", "description": "User's email address"},
        }
        answer = await ask(ctx, form(arguments["message"], fields, "username", "email"))
        return text(f"User response: {answer_text(answer)}")

    async def _elicit_defaults(self, ctx: Context, arguments: Json) -> Json:
        return await self._elicit_fields(ctx, DEFAULTS)

    async def _elicit_enums(self, ctx: Context, arguments: Json) -> Json:
        return await self._elicit_fields(ctx, ENUMS)

    async def _elicit_fields(self, ctx: Context, fields: Json) -> Json:
        answer = await ask(ctx, form("Please review", fields))
        return text(f"Elicitation completed: {answer_text(answer)}")

    async def _need_sampling(self, ctx: Context, arguments: Json) -> Json:
        if "sampling" not in capabilities(ctx):
            raise MCPError(
                types.MISSING_REQUIRED_CLIENT_CAPABILITY,
                "Missing required client capability",
                {"requiredCapabilities": {"sampling": {}}},
            )
        return text("The client can sample.")

    async def _change_tools(self, ctx: Context, arguments: Json) -> Json:
        self._changes += 1
        await self._bus.publish(ToolsListChanged())
        return text("The tools have changed.")

    async def _change_prompts(self, ctx: Context, arguments: Json) -> Json:
        self._changes += 1
        await self._bus.publish(PromptsListChanged())
        return text("The prompts have changed.")

    # Tools that return input_required

    async def _ask_name(self, ctx: Context, arguments: Json) -> Json:
        if "url" in arguments:
            answer = answers(ctx).get("visit")
            return text(answer_text(answer)) if answer else wanted(visit=visit(arguments["url"]))
        name = content(ctx, "user_name").get("name")
        if not isinstance(name, str):
            return wanted(user_name=form("What is your name?", NAME, "name"))
        return text(f"Hello, {name}!")

    async def _ask_capital(self, ctx: Context, arguments: Json) -> Json:
        answer = answers(ctx).get("capital_question")
        if answer is None:
            return wanted(capital_question=sampling("What is the capital of France?", 100))
        return text(f"The model said: {json.dumps(answer)}")

    async def _ask_roots(self, ctx: Context, arguments: Json) -> Json:
        answer = answers(ctx).get("client_roots")
        if answer is None:
            return wanted(client_roots=ROOTS)
        return text(f"Roots: {json.dumps(answer)}")

    async def _confirm(self, ctx: Context, arguments: Json) -> Json:
        if state(ctx) != "confirming" or "confirm" not in answers(ctx):
            request = form("Please confirm", {"ok": {"type": "boolean"}}, "ok")
            return {**wanted(confirm=request), "requestState": "confirming"}
        return text("state-ok")

    async def _ask_several(self, ctx: Context, arguments: Json) -> Json:
        given = answers(ctx)
        questions = {
            "user_name": form("What is your name?", NAME, "name"),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": ROOTS,
        }
        if state(ctx) != "asked" or not questions.keys() <= given.keys():
            return {**wanted(**questions), "requestState": "asked"}
        return text(f"All answered: {json.dumps(given)}")

    async def _ask_in_rounds(self, ctx: Context, arguments: Json) -> Json:
        colour = {"color": {"type": "string"}}
        match state(ctx):
            case "step1":
                request = form("Step 2: What is your favorite color?", colour, "color")
                return {**wanted(step2=request), "requestState": "step2"}
            case "step2":
                return text(f"Done: {json.dumps(answers(ctx))}")
            case _:
                request = form("Step 1: What is your name?", NAME, "name")
                return {**wanted(step1=request), "requestState": "step1"}

    async def _ask_by_capabilities(self, ctx: Context, arguments: Json) -> Json:
        able = capabilities(ctx)
        questions: dict[str, Json] = {}
        if "sampling" in able:
            questions["sample"] = sampling("Say something", 50)
        if "elicitation" in able:
            questions["name"] = form("What is your name?", NAME, "name")
        if answers(ctx) or not questions:
            return text("Thank you.")
        return wanted(**questions)

    # Prompts, resources, completion

    async def _list_prompts(self, ctx: Context, params: Any) -> Json:
        extra = {"name": f"extra_{self._changes}", "description": "Another one after each change"}
        return {"prompts": [*PROMPTS, extra], **_CACHING}

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> Json:
        arguments = params.arguments or {}
        match params.name:
            case "test_simple_prompt":
                return messages({"type": "text", "text": "This is a simple prompt for testing."})
            case "test_prompt_with_arguments":
                one, two = arguments.get("arg1"), arguments.get("arg2")
                words = f"Prompt with arguments: arg1='{one}', arg2='{two}'"
                return messages({"type": "text", "text": words})
            case "test_prompt_with_embedded_resource":
                return messages(
                    resource(arguments["resourceUri"], "Embedded resource content for testing."),
                    {"type": "text", "text": "Please process the embedded resource above."},
                )
            case "test_prompt_with_image":
                return messages(
                    {"type": "image", "data": PNG, "mimeType": "image/png"},
                    {"type": "text", "text": "Please analyze the image above."},
                )
            case "test_input_required_result_prompt":
                context = content(ctx, "user_context").get("context")
                if context is None:
                    fields = {"context": {"type": "string"}}
                    request = form("What context should the prompt use?", fields, "context")
                    return wanted(user_context=request)
                return messages({"type": "text", "text": f"Context: {context}"})
            case _:
                raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")

    async def _list_resources(self, ctx: Context, params: Any) -> Json:
        return {"resources": list(RESOURCES), **_CACHING}

    async def _list_templates(self, ctx: Context, params: Any) -> Json:
        return {"resourceTemplates": [TEMPLATE], **_CACHING}

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> Json:
        uri = str(params.uri)
        content: Json = {"uri": uri, "mimeType": "text/plain"}
        if uri == "test://static-text":
            content["text"] = "This is the content of the static text resource."
        elif uri == "test://static-binary":
            content |= {"mimeType": "image/png", "blob": PNG}
        elif uri == "test://watched-resource":
            content["text"] = "Watched."
        elif uri.startswith("test://template/"):
            number = uri.removeprefix("test://template/").removesuffix("/data")
            data = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
            content |= {"mimeType": "application/json", "text": json.dumps(data)}
        else:
            raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
        return {"contents": [content], **_CACHING}

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> Json:
        values = [
            word for word in ("paris", "park", "party") if word.startswith(params.argument.value)
        ]
        return {"completion": {"values": values, "total": len(values), "hasMore": False}}


_NO_ARGUMENTS: Json = {"type": "object", "properties": {}}
_CACHING: Json = {"ttlMs": 0, "cacheScope": "private"}


def _complete(
    handler: Callable[[Context, Any], Awaitable[Any]],
) -> Callable[[Context, Any], Awaitable[Any]]:
    """Mark a final result as the modern revision requires."""

    async def marked(ctx: Context, params: Any) -> Any:
        result = cast(Json | types.EmptyResult, await handler(ctx, params))
        if isinstance(result, types.EmptyResult) or not modern(ctx):
            return result
        return {"resultType": "complete", **result}

    return marked


def _returns_text(words: str) -> Callable[[Context, Json], Awaitable[Json]]:
    return _returns({"type": "text", "text": words})


def _returns(*blocks: Json) -> Callable[[Context, Json], Awaitable[Json]]:
    async def answer(ctx: Context, arguments: Json) -> Json:
        return {"content": list(blocks)}

    return answer


def conformance_app(*, modern_only: bool = False) -> ASGIApp:
    app = Conformance().server.streamable_http_app()
    return ModernOnly(app) if modern_only else app
