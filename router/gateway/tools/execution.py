"""The one door to a server: every tool call, prompt and resource, by whatever road, passes here.

The order of the checks is the contract: boundary, arguments, permission, server state; only then is
the server asked. What it answers goes back unchanged; its errors, without our secrets.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from router.catalog.catalog import WorkspaceCatalog
from router.catalog.permission_policy import ALLOWED, Policy, Subject
from router.catalog.server_entry import ServerEntry
from router.catalog.tool_definition import compact_json
from router.catalog.view import View
from router.domain.clients import Principal
from router.domain.errors import (
    NotFound,
    NoWorkspace,
    Refused,
    ToolboothError,
    UpstreamAnsweredError,
    UpstreamFailed,
)
from router.domain.failure_text import advise
from router.domain.failures import Failure, FailureKind
from router.domain.ids import ServerId, ServerRef, ToolKey, WorkspaceId
from router.domain.json_values import JsonObject
from router.domain.names import SCRIPTS
from router.domain.permissions import Kind, Permission
from router.domain.result import Ok, ToolResult, failed
from router.domain.scripts import SavedScript
from router.domain.tools import Tool
from router.gateway.tools.argument_check import problems
from router.gateway.tools.argument_preview import shown
from router.gateway.tools.permission_requests import Asking, Question
from router.store.redaction import Redactor
from router.upstream.errors import UNNAMED, HttpRefused
from router.upstream.ports import ProgressSink, Requester, Upstreams

Perform: TypeAlias = Callable[[], Awaitable[JsonObject]]

_OUR_META_PREFIX = "io.modelcontextprotocol/"
_OUR_META_KEYS = frozenset({"progressToken", "token", "projectId"})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of one tool, as a client asked for it."""

    key: ToolKey
    arguments: JsonObject
    meta: JsonObject
    on_progress: ProgressSink | None = None
    requester: Requester | None = None
    answers: JsonObject = field(default_factory=dict[str, Any])
    """What a client that repeats its call brings to the server that asked."""


class Execution:
    def __init__(
        self,
        catalogs: Mapping[WorkspaceId, WorkspaceCatalog],
        upstreams: Upstreams,
        timeout_s: Callable[[], float],
        asking: Asking,
        redactor: Redactor,
    ) -> None:
        self._catalogs = catalogs
        self._upstreams = upstreams
        self._timeout_s = timeout_s
        self._asking = asking
        self._redactor = redactor

    def view(self, caller: Principal) -> View:
        catalog = self._catalogs.get(caller.workspace)
        if catalog is None:
            raise NoWorkspace(caller.workspace)
        return catalog.view(caller.project, caller.servers)

    def scripts(self, caller: Principal) -> Mapping[str, SavedScript]:
        """The scripts kept in the caller's workspace, by name."""
        return self._catalogs[caller.workspace].scripts

    async def run(
        self, caller: Principal, call: ToolCall, perform: Perform | None = None
    ) -> ToolResult[JsonObject]:
        """The server's result as it is, or why there is none. Never raises.

        `perform` does the call of a tool that is no server's, once it may be done.
        """
        try:
            view = self.view(caller)
            tool = view.tool(call.key)
            if wrong := problems(tool.input_schema, call.arguments):
                return Ok(_wrong_arguments(tool, wrong))
            if (policy := view.policy(call.key)) is not ALLOWED:
                subject = Subject(Kind.TOOL, call.key.server, call.key.tool, tool.annotations)
                # The state of a call that goes on is sealed, so a person has said yes to this one.
                goes_on = "requestState" in call.answers
                await self._admit(
                    caller,
                    subject,
                    policy,
                    call.arguments,
                    call.on_progress,
                    call.requester,
                    goes_on=goes_on,
                )
            if perform is not None:
                return Ok(await perform())
            result = await self._call(caller, call, repeatable=_is_repeatable(tool))
            return Ok(self._redactor.json(result) if result.get("isError") else result)
        except ToolboothError as error:
            return failed(error)

    def shown(self, arguments: JsonObject) -> str:
        """Arguments as a person may see them."""
        return shown(arguments, self._redactor)

    async def admit(
        self,
        caller: Principal,
        kind: Kind,
        server: ServerId,
        name: str,
        arguments: JsonObject,
        on_progress: ProgressSink | None,
        requester: Requester | None,
    ) -> None:
        """Raise `Refused` unless the caller may use a prompt or a resource."""
        subject = Subject(kind, server, name)
        policy = self.view(caller).policy_for(subject)
        await self._admit(caller, subject, policy, arguments, on_progress, requester)

    async def _admit(
        self,
        caller: Principal,
        subject: Subject,
        policy: Policy,
        arguments: JsonObject,
        on_progress: ProgressSink | None,
        requester: Requester | None,
        *,
        goes_on: bool = False,
    ) -> None:
        permission = policy.decide(arguments)
        if permission is Permission.DENY:
            raise Refused(
                f"The user's rules don't allow this call of {subject}.",
                "Go on without it, or ask the user to change the rule.",
            )
        if permission is Permission.ASK and not goes_on:
            name = self._name_of(caller, subject.server)
            session = requester.session if requester is not None else None
            question = Question(caller, subject, name, self.shown(arguments), session)
            await self._asking.ask(question, on_progress)

    def _name_of(self, caller: Principal, server: ServerId) -> str:
        if server == SCRIPTS:
            return "Scripts"
        return self._catalogs[caller.workspace].entry(server).name

    async def _call(self, caller: Principal, call: ToolCall, *, repeatable: bool) -> JsonObject:
        """A call whose connection was lost may have been carried out, so it is sent again only if
        that does no harm, and only once."""
        params: JsonObject = {"name": call.key.tool, "arguments": call.arguments, **call.answers}
        if meta := forwarded_meta(call.meta):
            params["_meta"] = meta
        ref = ServerRef(caller.workspace, call.key.server)
        forward = partial(self.forward, ref, "tools/call", params, call.on_progress, call.requester)
        try:
            return await forward()
        except UpstreamFailed as error:
            if not (repeatable and _was_lost(error)):
                raise
        return await forward()

    async def forward(
        self,
        ref: ServerRef,
        method: str,
        params: JsonObject,
        on_progress: ProgressSink | None = None,
        requester: Requester | None = None,
    ) -> JsonObject:
        """Ask a server that the caller's view contains; raises what the server's failure is."""
        asked = self._entry(ref)
        try:
            return await self._upstreams.request(
                ref,
                method,
                params,
                on_progress=on_progress,
                timeout_s=self._timeout_s(),
                requester=requester,
            )
        except UpstreamAnsweredError as error:
            error.message = self._redactor.text(error.message)
            error.data = self._redactor.json(error.data)
            raise
        except UpstreamFailed as error:
            if asked is not None:
                self._check_still_there(ref, asked.name, error)
            error.message = self._redactor.text(error.message)
            error.hint = self._redactor.text(error.hint)
            raise

    def _entry(self, ref: ServerRef) -> ServerEntry | None:
        catalog = self._catalogs.get(ref.workspace)
        return catalog.servers.get(ref.server) if catalog is not None else None

    def _check_still_there(self, ref: ServerRef, name: str, error: UpstreamFailed) -> None:
        """Say what a person did to the server meanwhile, if that is why it failed; else name the
        server, which the rooms below can't."""
        now = self._entry(ref)
        if now is None:
            raise NotFound(
                f"{name} was removed while it was working on this.", "Go on without it."
            ) from error
        if now.config.disabled and error.failure.kind is not FailureKind.DISABLED:
            off = Failure(FailureKind.DISABLED)
            message = f"{name} was turned off while it was working on this."
            raise UpstreamFailed(off, message, advise(off, name).suggestion) from error
        if error.message.startswith(UNNAMED):
            error.message = f"{name}{error.message.removeprefix(UNNAMED)}"

    async def unsubscribe(self, ref: ServerRef, address: str) -> None:
        await self._upstreams.unsubscribe(ref, address)


def forwarded_meta(meta: JsonObject) -> JsonObject:
    """What of a request's `_meta` is meant for the server: not this hop's keys, not our token."""
    return {
        key: value
        for key, value in meta.items()
        if key not in _OUR_META_KEYS and not key.startswith(_OUR_META_PREFIX)
    }


def _is_repeatable(tool: Tool) -> bool:
    hints = tool.annotations
    return hints.get("idempotentHint") is True or hints.get("readOnlyHint") is True


def _was_lost(error: UpstreamFailed) -> bool:
    """Whether a working connection broke: not a failed start, nor an answer of the server."""
    failure = error.failure
    broke = failure.kind in (FailureKind.EXITED, FailureKind.UNREACHABLE)
    return broke and failure.retry_at is None and not isinstance(error, HttpRefused)


def _wrong_arguments(tool: Tool, wrong: list[str]) -> JsonObject:
    """An answer with which an agent can mend its call at once."""
    schema = compact_json(tool.input_schema)
    text = f"Wrong arguments for {tool.key}: {' '.join(wrong)}\nIts input schema: {schema}"
    return {"content": [{"type": "text", "text": text}], "isError": True}
