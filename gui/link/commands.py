"""How a widget asks the router for something: `run` a command and get a callback.

The command runs on the router's loop; its result comes back on the GUI thread. Widgets never
`await`. A destroyed owner cancels its command. Commands wait until the router is attached; once it
is stopped they fail with an error for the user.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QMetaObject, QObject
from shiboken6 import Shiboken

from gui.text.tr import tr
from router.domain.errors import ToolboothError

T = TypeVar("T")
log = logging.getLogger(__name__)


class Submit(Protocol):
    """Starts a coroutine on the router's loop, from any thread; a stopped router raises."""

    def __call__(self, coro: Coroutine[Any, Any, T], /) -> Future[T]: ...


@dataclass(frozen=True, slots=True)
class _Command:
    owner: QObject
    coro: Coroutine[Any, Any, Any]
    on_done: Callable[[Any], object] | None
    on_error: Callable[[ToolboothError], object] | None


class Commands:
    """`run` needs the GUI's loop to be running on the calling thread."""

    def __init__(
        self,
        submit: Submit | None = None,
        *,
        show_error: Callable[[QObject, ToolboothError], object] | None = None,
    ) -> None:
        self._submit = submit
        self.show_error = show_error or _log_error
        self._waiting: list[_Command] = []
        self._detached = False

    def attach(self, submit: Submit) -> None:
        """The router is running: start the commands that waited for it."""
        self._submit = submit
        self._start_waiting()

    def detach(self) -> None:
        """The router is stopped: refuse waiting and later commands."""
        self._submit = None
        self._detached = True
        self._start_waiting()

    def run(
        self,
        owner: QObject,
        coro: Coroutine[Any, Any, T],
        *,
        on_done: Callable[[T], object] | None = None,
        on_error: Callable[[ToolboothError], object] | None = None,
    ) -> None:
        """Run `coro` for `owner`, then call `on_done` with its result or `on_error` with its
        failure, unexpected ones included. Without `on_error` the user is shown the error."""
        command = _Command(owner, coro, on_done, on_error)
        if self._submit is None and not self._detached:
            self._waiting.append(command)
        else:
            self._start(command)

    def _start_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for command in waiting:
            self._start(command)

    def _start(self, command: _Command) -> None:
        if not Shiboken.isValid(command.owner):
            command.coro.close()
            return
        if self._submit is None:
            command.coro.close()
            self._fail(command, _stopped())
            return
        try:
            future = self._submit(command.coro)
        except ToolboothError as error:
            self._fail(command, error)
            return
        outcome = asyncio.wrap_future(future)
        cancelling = command.owner.destroyed.connect(lambda: outcome.cancel())
        outcome.add_done_callback(lambda _: self._finish(command, outcome, cancelling))

    def _finish(
        self,
        command: _Command,
        outcome: asyncio.Future[Any],
        cancelling: QMetaObject.Connection,
    ) -> None:
        if not Shiboken.isValid(command.owner):
            return
        QObject.disconnect(cancelling)
        if outcome.cancelled():  # The router's loop ended with the command still on it.
            self._fail(command, _stopped())
        elif (error := outcome.exception()) is not None:
            self._fail(command, error)
        elif command.on_done is not None:
            command.on_done(outcome.result())

    def _fail(self, command: _Command, error: BaseException) -> None:
        if not isinstance(error, ToolboothError):
            log.error("A command failed unexpectedly", exc_info=error)
            error = _unexpected(error)
        if command.on_error is not None:
            command.on_error(error)
        else:
            self.show_error(command.owner, error)


def _log_error(_: QObject, error: ToolboothError) -> None:
    log.error("%s %s", error.message, error.hint)


def _stopped() -> ToolboothError:
    return ToolboothError(tr("The router is stopped."), tr("Restart Toolbooth."))


def _unexpected(error: BaseException) -> ToolboothError:
    what = f"{type(error).__name__}: {error}"
    return ToolboothError(
        tr("Unexpected error: {error}").format(error=what),
        tr("See the log for details."),
    )
