"""The requests under way, each ended soon after its token stops being valid.

Tokens are revoked by other processes and expire by themselves, so they are checked regularly while
any request is open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from router.domain.ids import TokenId
from router.gateway.http.http_request import HTTPError
from router.runtime.tasks import Stoppable

_CHECK_INTERVAL_S = 0.8


class ActiveRequests:
    def __init__(self, is_valid: Callable[[TokenId | None], bool]) -> None:
        self._is_valid = is_valid
        self._open: set[_ActiveRequest] = set()
        self._next_check: asyncio.TimerHandle | None = None

    def track(self, token: TokenId | None) -> _ActiveRequest:
        """A `with` block for one request. It is cancelled once `token` is no longer valid, or we
        stop; leaving it then raises the `HTTPError` that says so."""
        return _ActiveRequest(self, token)

    def end_all(self, error: HTTPError) -> None:
        for active in tuple(self._open):
            active.end(error)

    def add(self, active: _ActiveRequest) -> None:
        self._open.add(active)
        self._check_later()

    def remove(self, active: _ActiveRequest) -> None:
        self._open.remove(active)

    def _check_later(self) -> None:
        if self._next_check is None:
            loop = asyncio.get_running_loop()
            self._next_check = loop.call_later(_CHECK_INTERVAL_S, self._check)

    def _check(self) -> None:
        self._next_check = None
        for active in tuple(self._open):
            if not self._is_valid(active.token):
                active.end(HTTPError(401, "The token has been revoked or has expired."))
        if self._open:
            self._check_later()


class _ActiveRequest(Stoppable):
    def __init__(self, requests: ActiveRequests, token: TokenId | None) -> None:
        super().__init__()
        self.token = token
        self._requests = requests
        self._error: HTTPError | None = None

    def end(self, error: HTTPError) -> None:
        self._error = error
        self.stop()

    def __enter__(self) -> _ActiveRequest:
        super().__enter__()
        self._requests.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, traceback: object
    ) -> Literal[False]:
        self._requests.remove(self)
        if super().__exit__(kind, error, traceback):
            raise self._error or HTTPError(503, "Toolbooth is stopping.") from None
        return False
