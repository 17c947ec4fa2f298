"""MCP's methods for tools, `tools/list` and `tools/call`, and the search behind `tool_discovery`.
Each request is recorded in the activity log.

What a client sees depends on its project's exposure: the two meta-tools, or the five of progressive
discovery, or, with optimization off, every tool.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import cast

from router.catalog.response_shape import ResponseShapes
from router.catalog.tool_definition import context_tokens, result_tokens
from router.catalog.tool_lookup import find_tool_key
from router.catalog.view import View
from router.config.settings import Settings
from router.domain.activity import ActivityKind, Outcome
from router.domain.clients import Principal
from router.domain.errors import InvalidInput, UpstreamAnsweredError, UpstreamFailed
from router.domain.ids import ServerId, ServerRef, ToolKey
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.result import Failed, Ok, ToolResult, failed
from router.domain.search import SearchFeedback, SearchReply, SearchTrial
from router.domain.servers import ServerStatus
from router.domain.tools import Tool
from router.domain.workspaces import Exposure, Optimization
from router.gateway.client_request import ClientRequest
from router.gateway.tools import meta_tools, progressive
from router.gateway.tools.activity_recorder import ActivityRecorder
from router.gateway.tools.arguments import preview
from router.gateway.tools.execution import Execution
from router.gateway.tools.meta_tools import DiscoveryArguments
from router.gateway.tools.progressive import ProgressiveCalls
from router.gateway.tools.result_pages import READ_RESULT, ResultPages
from router.gateway.tools.script_tools import ScriptTools, script_value
from router.gateway.tools.tool_discovery import SearchTimes, discovery_result, find
from router.gateway.tools.tool_listing import ToolListing, ToolListings
from router.gateway.tools.tool_results import error_result, error_text, outcome_of
from router.gateway.tools.unlisted_servers import IncreasingProgress, unlisted_json
from router.scripts.runner import ScriptRunner
from router.wire.mcp import INVALID_PARAMS, MCPError


class ToolMethods:
    def __init__(
        self,
        execution: Execution,
        recorder: ActivityRecorder,
        status: Callable[[ServerRef], ServerStatus],
        feedback: SearchFeedback,
        runner: ScriptRunner,
        settings: Callable[[], Settings],
    ) -> None:
        self._execution = execution
        self._recorder = recorder
        self._status = status
        self._feedback = feedback
        self._settings = settings
        self.tool_listings = ToolListings(lambda: settings().offer_execute)
        self._result_pages = ResultPages(lambda: settings().result_limit_kb)
        self.script_tools = ScriptTools(runner, execution, self.run_tool)
        self._shapes = ResponseShapes()
        self._progressive = ProgressiveCalls(recorder, self.script_tools, self._shapes)
        self.search_times = SearchTimes()

    def instructions(self, principal: Principal) -> str:
        return self._execution.view(principal).instructions

    def list_tools(self, request: ClientRequest) -> ToolListing:
        view = self._execution.view(request.principal)
        listing = self.tool_listings.of(view)
        self._recorder.record(
            request,
            ActivityKind.LIST,
            context_tokens=listing.context_tokens,
            saved_tokens=view.full_tokens - listing.context_tokens,
            result_count=len(listing.result["tools"]),
        )
        return listing

    async def wait_briefly(self, principal: Principal) -> None:
        """Wait a moment for tools that are being discovered, where they are listed themselves."""
        view = self._execution.view(principal)
        if view.optimization is None or view.pinned_keys:
            await self._execution.wait_briefly(principal)

    def tool_listing(self, principal: Principal) -> ToolListing:
        """What `tools/list` returns; the same object until it changes."""
        return self.tool_listings.of(self._execution.view(principal))

    async def call_tool(self, request: ClientRequest) -> JsonObject:
        """The result of a `tools/call`, by whichever name the tool is exposed."""
        name, arguments = request.params.get("name"), request.params.get("arguments")
        if not isinstance(name, str):
            raise MCPError(INVALID_PARAMS, '"name" must be the name of a tool.')
        if not isinstance(arguments, dict | None):
            raise MCPError(INVALID_PARAMS, '"arguments" must be an object.')
        arguments = cast(JsonObject, arguments or {})  # some clients send null
        if request.on_progress is not None:
            # One for the whole request: its tool may be looked up before the call, and waited for.
            request = replace(request, on_progress=IncreasingProgress(request.on_progress))
        if name == meta_tools.DISCOVERY:
            return await self._discover(request, arguments)
        view = self._execution.view(request.principal)
        if name == meta_tools.EXECUTE:
            try:
                named, arguments = meta_tools.execute_arguments(arguments)
                found = await self._named(request, view, named)
            except InvalidInput as error:
                return self._invalid_arguments(request, ActivityKind.CALL, error)
        elif view.optimization is not None and self._is_progressive(view, name):
            return await self._progressive.call(request, view, name, arguments)
        else:
            found = await self._exposed(request, view, name)
        if isinstance(found, Failed):
            return error_result(found)
        key = found
        # Only where it is listed: a result that is cut is read on with `tool_execute`.
        cut = name == meta_tools.EXECUTE and view.searches
        result = await self.run_tool(request, key, arguments, cut=cut)
        match result:
            case Ok(value):
                return value
            case Failed(answered=UpstreamAnsweredError() as answered):
                raise MCPError(answered.code, answered.message, answered.data)
            case Failed():
                tool = self._execution.view(request.principal).tools.get(key)
                if name != meta_tools.EXECUTE and tool is not None and "outputSchema" in tool.wire:
                    return error_text(result)
                return error_result(result)

    async def _named(self, request: ClientRequest, view: View, text: str) -> ToolKey | Failed:
        """The tool that `tool_execute` names, once the list of its server is known: that decides
        what an odd name means. Raises `InvalidInput`."""
        try:
            key = find_tool_key(view, text)
        except InvalidInput:  # unless its server is just being discovered
            await self._execution.wait_briefly(request.principal)
            return find_tool_key(self._execution.view(request.principal), text)
        if key in view.tools or key.server not in view.entries:
            return key
        listed = await self._listed(request, key.server, key.tool)
        return listed if isinstance(listed, Failed) else find_tool_key(listed, text)

    async def _exposed(self, request: ClientRequest, view: View, name: str) -> ToolKey | Failed:
        """The tool that is called by this name directly, once its server's list is known."""
        names = _directly_callable(view)
        if name not in names and (server := view.server_of(name)) is not None:
            listed = await self._listed(request, server, None)
            if isinstance(listed, Failed):
                return listed
            names = _directly_callable(listed)
        if name not in names:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {name}")
        return names[name]

    async def _listed(
        self, request: ClientRequest, server: ServerId, tool: str | None
    ) -> View | Failed:
        """The view with this server's tools, or why they can't be known, which is recorded."""
        try:
            return await self._execution.view_with(request, server)
        except UpstreamFailed as error:
            failure = failed(error)
            self._recorder.record(
                request,
                ActivityKind.CALL,
                Outcome.ERROR,
                server=server,
                tool=tool,
                message=failure.message,
            )
            return failure

    def _invalid_arguments(
        self, request: ClientRequest, kind: ActivityKind, error: InvalidInput
    ) -> JsonObject:
        self._recorder.record(request, kind, Outcome.ERROR, message=error.message)
        return error_result(failed(error))

    def _is_progressive(self, view: View, name: str) -> bool:
        """Whether `name` is one of the tools of progressive discovery, and exposed by this view."""
        if view.exposure is Exposure.PROGRESSIVE:
            return name in progressive.NAMES
        return name == progressive.EXECUTE and self._settings().offer_execute

    async def search(
        self,
        principal: Principal,
        query: DiscoveryArguments,
        strategy: Optimization | None = None,
    ) -> SearchReply:
        """What a client would find, without an entry in the activity log."""
        usage = self._feedback.usage_signals(principal)
        await self._execution.wait_briefly(principal)
        view = self._execution.view(principal)
        started = time.perf_counter()
        reply = await find(view, query, usage, strategy)
        self.search_times.record(reply, (time.perf_counter() - started) * 1000)
        return reply

    async def try_search(
        self, principal: Principal, query: DiscoveryArguments, strategy: Optimization
    ) -> SearchTrial:
        """A search with what it costs a client, in time and in tokens."""
        started = time.perf_counter()
        reply = await self.search(principal, query, strategy)
        _, tokens = self._discovery_result(principal, query, reply)
        return SearchTrial(reply, (time.perf_counter() - started) * 1000, tokens)

    def _discovery_result(
        self, principal: Principal, query: DiscoveryArguments, reply: SearchReply
    ) -> tuple[JsonObject, int]:
        """The result of `tool_discovery`, and the tokens it costs."""
        view = self._execution.view(principal)
        has_scripts = self._settings().offer_execute or view.exposure is Exposure.PROGRESSIVE
        spelled = view.lua.qualified_name if has_scripts else None
        readiness = partial(self._readiness, principal)
        unlisted = unlisted_json(self._statuses_of(principal, view))
        result = discovery_result(
            reply, view, query.queries, readiness, spelled, unlisted, full=query.full
        )
        return result, context_tokens(result["content"][0]["text"])

    async def _discover(self, request: ClientRequest, arguments: JsonObject) -> JsonObject:
        principal = request.principal
        try:
            query = DiscoveryArguments.read(arguments, self._settings().results_per_search)
        except InvalidInput as error:
            return self._invalid_arguments(request, ActivityKind.SEARCH, error)
        reply = await self.search(principal, query)
        result, tokens = self._discovery_result(principal, query, reply)
        self._feedback.record_search(principal, query.queries, [hit.tool.key for hit in reply.hits])
        self._recorder.record(
            request,
            ActivityKind.SEARCH,
            detail=" / ".join(query.queries),
            input_tokens=context_tokens(arguments),
            result_count=len(reply.hits),
            context_tokens=tokens,
            saved_tokens=-tokens,
            message=reply.note or None,
        )
        return result

    def _statuses_of(self, principal: Principal, view: View) -> list[ServerStatus]:
        """Of the servers whose tools are not known."""
        unknown = [entry.id for entry in view.servers if entry.cached is None]
        return [self._status(ServerRef(principal.workspace, server)) for server in unknown]

    def _readiness(self, principal: Principal, tool: Tool) -> str:
        if tool is READ_RESULT or tool.key.server == SCRIPTS:
            return "ready"
        status = self._status(ServerRef(principal.workspace, tool.key.server))
        return meta_tools.readiness(status, self._recorder.clock())

    async def run_tool(
        self, request: ClientRequest, key: ToolKey, arguments: JsonObject, *, cut: bool = False
    ) -> ToolResult[JsonObject]:
        """Run a tool and record it, however it ends. With `cut` a long result is shortened."""
        outcome, message, tokens = Outcome.CANCELLED, None, 0
        try:
            if key == READ_RESULT.key:
                result = self._result_pages.read_page(request.principal, arguments)
            else:
                perform = None
                if key.server == SCRIPTS:
                    run_saved = self.script_tools.run_saved
                    perform = partial(run_saved, request, key.tool, arguments)
                result = await self._execution.call_tool(request, key, arguments, perform)
                if cut and isinstance(result, Ok):
                    shortened = await self._result_pages.shorten(request.principal, result.value)
                    result = Ok(shortened)
            outcome, message = outcome_of(result)
            if outcome is Outcome.OK:
                self._feedback.record_use(request.principal, key)
                if isinstance(result, Ok) and not cut:
                    _, value = script_value(result.value)
                    self._shapes.see(request.principal.identity, key, value)
            tokens = result_tokens(result.value) if isinstance(result, Ok) else 0
            return result
        finally:
            with_arguments = self._settings().log_arguments
            self._recorder.record(
                request,
                ActivityKind.CALL,
                outcome,
                server=key.server,
                tool=key.tool,
                context_tokens=0 if request.inside_script else tokens,
                saved_tokens=_saved_tokens(request, key, tokens),
                input_tokens=context_tokens(arguments),
                detail=preview(arguments, self._execution.redactor) if with_arguments else None,
                message=message,
            )


def _directly_callable(view: View) -> Mapping[str, ToolKey]:
    """The tools that are called by their exposed name."""
    return view.exposed if view.optimization is None else view.pinned


def _saved_tokens(request: ClientRequest, key: ToolKey, tokens: int) -> int:
    """What a script keeps out of the client's context, less what the script returns."""
    if request.inside_script:
        return tokens
    return -tokens if key.server == SCRIPTS else 0
