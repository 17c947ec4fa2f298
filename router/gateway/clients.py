"""The client of one request, as the servers reach it: asked, told, and shown progress.

A client of an older revision is asked while its request waits. One of the stateless revision can
only be answered, so the request is answered with the question, and goes on when it is repeated.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict, ValidationError

from router.errors import UpstreamAnsweredError
from router.exchange import SessionId
from router.gateway.rounds import Round
from router.gateway.sessions import Context, Session, capabilities_of, folder_path
from router.model import JsonObject, as_array, as_object
from router.upstream.protocol import LOG_LEVELS

_ANSWER_WITHIN_S = 300.0


class _Question(BaseModel):
    """A server's request as it is."""

    method: str
    params: dict[str, Any]


class _Answer(BaseModel):
    """A client's result as it is."""

    model_config = ConfigDict(extra="allow")


class ClientAtHand:
    """Implements `ports.Requester`."""

    def __init__(self, session: Session, ctx: Context) -> None:
        self._session = session
        self._ctx = ctx
        self._over = False
        self.modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        self.capabilities = capabilities_of(ctx) if self.modern else session.capabilities
        self.round: Round | None = None
        """How a client is asked that can only be answered."""

    @property
    def session(self) -> SessionId:
        return self._session.id

    @property
    def folder(self) -> str | None:
        return self._session.folder

    @property
    def repeats(self) -> bool:
        return self.modern

    @property
    def log_level(self) -> str | None:
        if not self.modern:
            return self._session.log_level
        level = as_object(as_object(self._ctx.params).get("_meta")).get(types.LOG_LEVEL_META_KEY)
        return level if level in LOG_LEVELS else None

    def continued(self, ctx: Context) -> None:
        """The client repeats its request; from now on this is the one to answer."""
        self._ctx = ctx

    def ended(self) -> None:
        """The request was answered; its client may still be reached by other ways."""
        self._over = True

    async def locate(self) -> None:
        """Ask for the client's roots; the first folder among them is where it works."""
        if "roots" not in self.capabilities or self.modern:
            return
        try:
            roots = (await self.ask("roots/list", {})).get("roots")
        except UpstreamAnsweredError:
            return
        said = (str(as_object(root).get("uri", "")) for root in as_array(roots))
        paths = [path for uri in said if uri.startswith("file:") and (path := folder_path(uri))]
        folders = [path for path in paths if await asyncio.to_thread(path.is_dir)]
        self._session.folder = str(folders[0]) if folders else None

    async def ask(self, method: str, params: JsonObject) -> JsonObject:
        if self.modern:
            if self.round is None:
                raise UpstreamAnsweredError(
                    types.INVALID_REQUEST, "This client can't be asked anything just now."
                )
            return await self.round.ask(method, params)
        question = cast(types.ServerRequest, _Question(method=method, params=_own(params)))
        try:
            answer = await self._ctx.session.send_request(
                question,
                _Answer,
                _ANSWER_WITHIN_S,
                None if self._over else ServerMessageMetadata(related_request_id=self._related),
            )
        except MCPError as error:
            raise UpstreamAnsweredError(error.code, error.message, error.data) from None
        except ValidationError:
            raise UpstreamAnsweredError(
                types.INTERNAL_ERROR, "The client's answer makes no sense."
            ) from None
        return answer.model_dump(mode="json")

    async def tell(self, method: str, params: JsonObject) -> None:
        if method == "notifications/message" and not self._wants(params.get("level")):
            return
        message = cast(types.ServerNotification, _Question(method=method, params=params))
        try:
            await self._ctx.session.send_notification(
                message, None if self._over else self._related
            )
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # the client has gone, and with it whoever wanted to know

    async def progress(self, params: JsonObject) -> None:
        progress = params.get("progress")
        if isinstance(progress, int | float):
            await self._ctx.session.report_progress(
                progress, params.get("total"), params.get("message")
            )

    @property
    def _related(self) -> types.RequestId | None:
        return self._ctx.request_id

    def _wants(self, level: object) -> bool:
        least = self.log_level
        if least is None:
            return not self.modern
        return level in LOG_LEVELS and LOG_LEVELS.index(str(level)) >= LOG_LEVELS.index(least)


def _own(params: JsonObject) -> JsonObject:
    """A question without the mark under which only its server could take progress."""
    meta = {k: v for k, v in as_object(params.get("_meta")).items() if k != "progressToken"}
    rest = {key: value for key, value in params.items() if key != "_meta"}
    return {**rest, "_meta": meta} if meta else rest
