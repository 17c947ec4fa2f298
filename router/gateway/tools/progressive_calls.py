"""Handles calls of the progressive discovery tools, and records each in the activity log."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from router.catalog.tool_definition import result_tokens
from router.catalog.view import View
from router.domain.activity import ActivityKind, Outcome
from router.domain.errors import ToolboothError
from router.domain.json_values import JsonObject
from router.domain.result import Failed, Ok, ToolResult, failed
from router.gateway.client_request import ClientRequest
from router.gateway.tools import progressive
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.script_tools import ScriptTools
from router.gateway.tools.tool_results import error_result, outcome_of, text_result


@dataclass(frozen=True, slots=True)
class ProgressiveCalls:
    recorder: ActivityRecorder
    script_tools: ScriptTools

    async def call(
        self, request: ClientRequest, view: View, name: str, arguments: JsonObject
    ) -> JsonObject:
        """The result of a call of one of the tools in `progressive.py`."""
        started = time.perf_counter()
        outcome, message, tokens = Outcome.CANCELLED, None, 0
        try:
            result = await self._result(request, view, name, arguments)
            outcome, message = outcome_of(result)
            answer = result.value if isinstance(result, Ok) else error_result(result)
            tokens = result_tokens(answer)
            return answer
        finally:
            runs = name in (progressive.EXECUTE, progressive.INSPECT)
            self.recorder.record(
                request,
                ActivityKind.CALL if runs else ActivityKind.SEARCH,
                started,
                outcome,
                tool=name if runs else None,
                detail=None if runs else " ".join((name, *map(str, arguments.values()))),
                context_tokens=tokens,
                saved_tokens=-tokens,
                message=message,
            )

    async def _result(
        self, request: ClientRequest, view: View, name: str, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        try:
            match name:
                case progressive.LIST_SERVERS:
                    return Ok(text_result(progressive.servers_text(view)))
                case progressive.LIST_TOOLS:
                    return Ok(text_result(progressive.tools_text(view, arguments)))
                case progressive.DETAILS:
                    return Ok(text_result(progressive.details_text(view, arguments)))
                case progressive.INSPECT:
                    return await self._inspect(request, view, arguments)
                case _:
                    script = progressive.required_text(arguments, "script")
                    return Ok(await self.script_tools.execute(request, script))
        except ToolboothError as error:
            return failed(error)

    async def _inspect(
        self, request: ClientRequest, view: View, arguments: JsonObject
    ) -> ToolResult[JsonObject]:
        tool = progressive.named_tool(view, arguments)
        sample = progressive.sample_arguments(arguments)
        called = replace(request, activity_id=f"{request.activity_id}/1", inside_script=True)
        result = await self.script_tools.run_tool(called, tool.key, sample)
        if isinstance(result, Failed):
            return result
        answer = text_result(progressive.response_text(tool, result.value))
        return Ok({**answer, "isError": True} if result.value.get("isError") else answer)
