"""What tools a project shows its clients: the two meta-tools, or, with optimization off, every one.

Answers requests in plain JSON and notes each in the activity log.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import mcp_types as types
from mcp.shared.exceptions import MCPError

from router.catalog.reading import context_tokens, result_tokens
from router.errors import InvalidInput, UpstreamAnsweredError
from router.gateway import metatools
from router.gateway.discovering import discovery_answer, find
from router.gateway.execution import Execution, ToolCall
from router.gateway.metatools import Inquiry
from router.gateway.recording import Recorder, Request
from router.gateway.results import READ_RESULT, Results
from router.model import (
    ActivityKind,
    Caller,
    JsonObject,
    Optimization,
    Outcome,
    ServerRef,
    ServerStatus,
    Tool,
    ToolKey,
)
from router.names import parse_tool_key
from router.result import Failed, Ok, ToolResult, failed
from router.searching import Lessons, SearchReply


class Exposures:
    def __init__(
        self,
        execution: Execution,
        recorder: Recorder,
        status: Callable[[ServerRef], ServerStatus],
        results_per_search: Callable[[], int],
        results: Results,
        lessons: Lessons,
    ) -> None:
        self._execution = execution
        self._results = results
        self._lessons = lessons
        self._note = recorder.note
        self._clock = recorder.clock
        self._status = status
        self._results_per_search = results_per_search

    def instructions(self, caller: Caller) -> str:
        return self._execution.view(caller).instructions

    def list_tools(self, request: Request) -> JsonObject:
        started = time.perf_counter()
        view = self._execution.view(request.caller)
        optimized = view.optimization is not None
        tokens = metatools.LISTING_TOKENS if optimized else view.full_tokens
        self._note(
            request,
            ActivityKind.LIST,
            started,
            context_tokens=tokens,
            saved_tokens=view.full_tokens - tokens if optimized else 0,
            result_count=len(metatools.TOOLS) if optimized else len(view.tools),
        )
        return self.listing(request.caller)

    def listing(self, caller: Caller) -> JsonObject:
        """What this caller gets as its tools; the same object until that changes."""
        view = self._execution.view(caller)
        return view.direct_listing if view.optimization is None else metatools.LISTING

    async def call_tool(self, request: Request, name: str, arguments: JsonObject) -> JsonObject:
        """The result of a `tools/call`, by whichever name the tool was exposed."""
        if name == metatools.DISCOVERY:
            return await self._discover(request, arguments)
        if name == metatools.EXECUTE:
            return await self._execute(request, arguments)
        view = self._execution.view(request.caller)
        if view.optimization is None and (key := view.exposed.get(name)) is not None:
            return await self._run(request, key, arguments)
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name}")

    async def search(
        self, caller: Caller, inquiry: Inquiry, strategy: Optimization | None = None
    ) -> SearchReply:
        """What a client in this place would find, without a trace in the activity log."""
        experiences = self._lessons.experiences(caller)
        return await find(self._execution.view(caller), inquiry, experiences, strategy)

    async def _discover(self, request: Request, arguments: JsonObject) -> JsonObject:
        started = time.perf_counter()
        caller = request.caller
        try:
            inquiry = Inquiry.read(arguments, self._results_per_search())
        except InvalidInput as error:
            self._note(request, ActivityKind.SEARCH, started, Outcome.ERROR, message=error.message)
            return error_result(failed(error))
        reply = await self.search(caller, inquiry)
        view = self._execution.view(caller)
        answer = discovery_answer(reply, view, inquiry.queries, self._readiness(caller))
        self._lessons.searched(caller, inquiry.queries, [hit.tool.key for hit in reply.hits])
        tokens = context_tokens(answer["content"][0]["text"])
        self._note(
            request,
            ActivityKind.SEARCH,
            started,
            detail=" / ".join(inquiry.queries),
            result_count=len(reply.hits),
            context_tokens=tokens,
            saved_tokens=-tokens,
            message=reply.note or None,
        )
        return answer

    def _readiness(self, caller: Caller) -> Callable[[Tool], str]:
        def readiness(tool: Tool) -> str:
            if tool is READ_RESULT:
                return "ready"
            status = self._status(ServerRef(caller.workspace, tool.key.server))
            return metatools.readiness(status, self._clock())

        return readiness

    async def _execute(self, request: Request, arguments: JsonObject) -> JsonObject:
        try:
            text, own = metatools.execute_arguments(arguments)
            key = parse_tool_key(text)
        except InvalidInput as error:
            started = time.perf_counter()
            self._note(request, ActivityKind.CALL, started, Outcome.ERROR, message=error.message)
            return error_result(failed(error))
        return await self._run(request, key, own, cut=True)

    async def _run(
        self, request: Request, key: ToolKey, arguments: JsonObject, *, cut: bool = False
    ) -> JsonObject:
        result = await self.run_tool(request, key, arguments, cut=cut)
        match result:
            case Ok(value):
                return value
            case Failed(answered=UpstreamAnsweredError() as answered):
                raise MCPError(answered.code, answered.message, answered.data)
            case Failed():
                return error_result(result)

    async def run_tool(
        self, request: Request, key: ToolKey, arguments: JsonObject, *, cut: bool = False
    ) -> ToolResult[JsonObject]:
        """Run a tool and note it in the activity log, however it ends. With `cut` a long result is
        shortened."""
        started = time.perf_counter()
        call = ToolCall(
            key,
            arguments,
            request.meta,
            request.on_progress,
            request.requester,
            request.answers,
        )
        outcome, message, tokens = Outcome.CANCELLED, None, 0
        try:
            result = await self._result(request.caller, call, cut)
            outcome, message = _outcome(result)
            if outcome is Outcome.OK:
                self._lessons.executed(request.caller, key)
            tokens = result_tokens(result.value) if isinstance(result, Ok) else 0
            return result
        finally:
            self._note(
                request,
                ActivityKind.CALL,
                started,
                outcome,
                server=key.server,
                tool=key.tool,
                context_tokens=tokens,
                message=message,
            )

    async def _result(self, caller: Caller, call: ToolCall, cut: bool) -> ToolResult[JsonObject]:
        if call.key == READ_RESULT.key:
            return self._read_on(caller, call.arguments)
        result = await self._execution.run(caller, call)
        if cut and isinstance(result, Ok):
            return Ok(await self._results.shorten(caller, result.value))
        return result

    def _read_on(self, caller: Caller, arguments: JsonObject) -> ToolResult[JsonObject]:
        try:
            return Ok(self._results.read(caller, arguments))
        except InvalidInput as error:
            return failed(error)


def _outcome(result: ToolResult[JsonObject]) -> tuple[Outcome, str | None]:
    if isinstance(result, Failed):
        return Outcome.DENIED if result.refused else Outcome.ERROR, result.message
    if result.value.get("isError"):
        return Outcome.ERROR, "The tool reported an error."
    return Outcome.OK, None


def error_result(failure: Failed) -> JsonObject:
    """A failure of ours as a tool result an agent can read and act on."""
    return {
        "content": [{"type": "text", "text": failure.sentence}],
        "structuredContent": {
            "code": failure.code,
            "message": failure.message,
            "retryable": failure.retryable,
            "hint": failure.hint,
        },
        "isError": True,
    }
