"""What tools a project shows its clients: the two meta-tools, or the five of progressive discovery,
or, with optimization off, every one.

Answers requests in plain JSON and notes each in the activity log.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import mcp_types as types
from mcp.shared.exceptions import MCPError

from router.catalog.tool_definition import context_tokens, result_tokens
from router.catalog.view import View
from router.domain.activity import ActivityKind, Outcome
from router.domain.clients import Principal
from router.domain.errors import InvalidInput, UpstreamAnsweredError
from router.domain.ids import ServerRef, ToolKey
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS, parse_tool_key
from router.domain.result import Failed, Ok, ToolResult, failed
from router.domain.search import SearchFeedback, SearchReply, SearchTrial
from router.domain.servers import ServerStatus
from router.domain.tools import Tool
from router.domain.workspaces import Exposure, Optimization
from router.gateway.tools import meta_tools, progressive
from router.gateway.tools.activity_recorder import Recorder, Request
from router.gateway.tools.execution import Execution, Perform, ToolCall
from router.gateway.tools.meta_tools import Inquiry
from router.gateway.tools.progressive_calls import Steps
from router.gateway.tools.result_pages import READ_RESULT, Results
from router.gateway.tools.script_tools import Scripting
from router.gateway.tools.tool_discovery import SearchTimes, discovery_answer, find
from router.gateway.tools.tool_listing import Listing, Listings
from router.gateway.tools.tool_results import error_result, outcome_of
from router.scripts.runner import ScriptRunner


class Exposures:
    def __init__(
        self,
        execution: Execution,
        recorder: Recorder,
        status: Callable[[ServerRef], ServerStatus],
        results_per_search: Callable[[], int],
        results: Results,
        feedback: SearchFeedback,
        runner: ScriptRunner,
        offers_execute: Callable[[], bool],
    ) -> None:
        self._execution = execution
        self._offers_execute = offers_execute
        self._listings = Listings(offers_execute)
        self.scripting = Scripting(runner, execution.view, execution.scripts, self.run_tool)
        self._steps = Steps(recorder, self.scripting, self.run_tool)
        self._results = results
        self._feedback = feedback
        self.times = SearchTimes()
        self._note = recorder.note
        self._clock = recorder.clock
        self._detailed = recorder.detailed
        self._status = status
        self._results_per_search = results_per_search

    def instructions(self, caller: Principal) -> str:
        return self._execution.view(caller).instructions

    def list_tools(self, request: Request) -> Listing:
        started = time.perf_counter()
        view = self._execution.view(request.caller)
        listing = self._listings.of(view)
        self._note(
            request,
            ActivityKind.LIST,
            started,
            context_tokens=listing.context_tokens,
            saved_tokens=view.full_tokens - listing.context_tokens,
            result_count=len(listing.answer["tools"]),
        )
        return listing

    def mirrored(self, caller: Principal, name: str) -> JsonObject | None:
        """The input schema of a tool, by the name it is listed under, if it wants arguments
        repeated in headers."""
        return self._listings.of(self._execution.view(caller)).mirrored.get(name)

    def listing(self, caller: Principal) -> JsonObject:
        """What this caller gets as its tools; the same object until that changes."""
        return self._listings.of(self._execution.view(caller)).answer

    def exposed_tokens(self, view: View) -> int:
        """What listing its tools costs a client."""
        return self._listings.of(view).context_tokens

    async def call_tool(self, request: Request, name: str, arguments: JsonObject) -> JsonObject:
        """The result of a `tools/call`, by whichever name the tool was exposed."""
        if name == meta_tools.DISCOVERY:
            return await self._discover(request, arguments)
        if name == meta_tools.EXECUTE:
            return await self._execute(request, arguments)
        view = self._execution.view(request.caller)
        if view.optimization is not None and self._offers_step(view, name):
            return await self._steps.answer(request, view, name, arguments)
        offered = view.exposed if view.optimization is None else view.pinned
        if (key := offered.get(name)) is not None:
            return await self._run(request, key, arguments)
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name}")

    def _offers_step(self, view: View, name: str) -> bool:
        """Whether `name` is one of the tools of progressive discovery that this view has."""
        if view.exposure is Exposure.PROGRESSIVE:
            return name in progressive.NAMES
        return name == progressive.EXECUTE and self._offers_execute()

    async def search(
        self, caller: Principal, inquiry: Inquiry, strategy: Optimization | None = None
    ) -> SearchReply:
        """What a client in this place would find, without a trace in the activity log."""
        usage, view = self._feedback.usage_signals(caller), self._execution.view(caller)
        started = time.perf_counter()
        reply = await find(view, inquiry, usage, strategy)
        self.times.note(reply, (time.perf_counter() - started) * 1000)
        return reply

    async def try_search(
        self, caller: Principal, inquiry: Inquiry, strategy: Optimization
    ) -> SearchTrial:
        """A search with what a client would pay for it, in time and in tokens."""
        started = time.perf_counter()
        reply = await self.search(caller, inquiry, strategy)
        _, tokens = self._told(caller, inquiry, reply)
        return SearchTrial(reply, (time.perf_counter() - started) * 1000, tokens)

    def _told(
        self, caller: Principal, inquiry: Inquiry, reply: SearchReply
    ) -> tuple[JsonObject, int]:
        """The result of `tool_discovery`, and the tokens it costs."""
        view = self._execution.view(caller)
        spelled = view.lua.spelled if self._offers_execute() else None
        answer = discovery_answer(reply, view, inquiry.queries, self._readiness(caller), spelled)
        return answer, context_tokens(answer["content"][0]["text"])

    async def _discover(self, request: Request, arguments: JsonObject) -> JsonObject:
        started = time.perf_counter()
        caller = request.caller
        try:
            inquiry = Inquiry.read(arguments, self._results_per_search())
        except InvalidInput as error:
            self._note(request, ActivityKind.SEARCH, started, Outcome.ERROR, message=error.message)
            return error_result(failed(error))
        reply = await self.search(caller, inquiry)
        answer, tokens = self._told(caller, inquiry, reply)
        self._feedback.record_search(caller, inquiry.queries, [hit.tool.key for hit in reply.hits])
        self._note(
            request,
            ActivityKind.SEARCH,
            started,
            detail=" / ".join(inquiry.queries),
            input_tokens=context_tokens(arguments),
            result_count=len(reply.hits),
            context_tokens=tokens,
            saved_tokens=-tokens,
            message=reply.note or None,
        )
        return answer

    def _readiness(self, caller: Principal) -> Callable[[Tool], str]:
        def readiness(tool: Tool) -> str:
            if tool is READ_RESULT or tool.key.server == SCRIPTS:
                return "ready"
            status = self._status(ServerRef(caller.workspace, tool.key.server))
            return meta_tools.readiness(status, self._clock())

        return readiness

    async def _execute(self, request: Request, arguments: JsonObject) -> JsonObject:
        try:
            text, own = meta_tools.execute_arguments(arguments)
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
            result = await self._result(request, call, cut)
            outcome, message = outcome_of(result)
            if outcome is Outcome.OK:
                self._feedback.record_use(request.caller, key)
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
                context_tokens=0 if request.inside_script else tokens,
                saved_tokens=_spared(request, key, tokens),
                input_tokens=context_tokens(arguments),
                detail=self._execution.shown(arguments) if self._detailed() else None,
                message=message,
            )

    async def _result(self, request: Request, call: ToolCall, cut: bool) -> ToolResult[JsonObject]:
        if call.key == READ_RESULT.key:
            return self._read_on(request.caller, call.arguments)
        perform = self._script(request, call) if call.key.server == SCRIPTS else None
        result = await self._execution.run(request.caller, call, perform)
        if cut and isinstance(result, Ok):
            return Ok(await self._results.shorten(request.caller, result.value))
        return result

    def _script(self, request: Request, call: ToolCall) -> Perform:
        return lambda: self.scripting.run_saved(request, call.key.tool, call.arguments)

    def _read_on(self, caller: Principal, arguments: JsonObject) -> ToolResult[JsonObject]:
        try:
            return Ok(self._results.read(caller, arguments))
        except InvalidInput as error:
            return failed(error)


def _spared(request: Request, key: ToolKey, tokens: int) -> int:
    """What a client was spared: results that stay in a script, less what the script answers."""
    if request.inside_script:
        return tokens
    return -tokens if key.server == SCRIPTS else 0
