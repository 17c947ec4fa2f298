"""What a token endpoint may return: tokens become headers, lifetimes become dates."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.responses import JSONResponse

from router.upstream.oauth.client_registration import OAuthClient
from router.upstream.oauth.errors import SignInFailed
from router.upstream.oauth.guarded_http_client import GuardedHttpClient
from router.upstream.oauth.tokens import OAuthTokens, refresh_tokens
from tests.servers.http_server import serving
from tests.support.fakes import FakeClock


async def refreshed(**answer: Any) -> OAuthTokens:
    """The tokens after a refresh at a real endpoint that returns `answer`."""
    answer = {"access_token": "new", "token_type": "Bearer", **answer}
    with serving(JSONResponse(answer)) as url:
        before = OAuthTokens("old", "again", None, "read", f"{url}/token", "")
        http = GuardedHttpClient(url)
        return await refresh_tokens(http, before, OAuthClient("us"), url, FakeClock())


@pytest.mark.parametrize(
    "token", ["a\r\nX-Other: 1", "a b", "a\0", "\u6771", "", 5, None, ["a"]], ids=ascii
)
async def test_a_token_that_cannot_be_a_header_is_refused(token: object) -> None:
    with pytest.raises(SignInFailed, match="an invalid token"):
        await refreshed(access_token=token)


@pytest.mark.parametrize(
    "lifetime", [0, -1, "0", "x", True, None, [], "9" * 400], ids=lambda each: repr(each)[:9]
)
async def test_a_lifetime_that_makes_no_sense_is_none(lifetime: object) -> None:
    assert (await refreshed(expires_in=lifetime)).expires_at is None


@pytest.mark.parametrize("lifetime", [1e300, 10**300], ids=["float", "integer"])
async def test_a_lifetime_beyond_the_calendar_is_bounded(lifetime: float) -> None:
    expires_at = (await refreshed(expires_in=lifetime)).expires_at
    assert expires_at is not None
