"""Signing in to a real server: the flow, refresh, sign-out, and what must never happen."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Generator
from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl

from router.config.server import OAuthConfig
from router.domain.failures import FailureKind
from router.runtime.tasks import spawn
from router.upstream.oauth.errors import SignInFailed
from router.upstream.oauth.flow import start_sign_in
from tests.router.upstream.connection_harness import content_of, failure_of
from tests.router.upstream.oauth.oauth_user import OAuthUser, connect, sign_in, visit
from tests.servers.oauth_server import SCOPE, OAuthServer
from tests.support.ports import refusing_port, reserved_port

METADATA = (
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
)


@pytest.fixture
def server() -> OAuthServer:
    return OAuthServer()


@pytest.fixture
def user(server: OAuthServer) -> Generator[OAuthUser]:
    with server.served() as url:
        yield OAuthUser(url)


async def test_a_server_that_requires_a_sign_in_says_so_and_is_not_retried(
    server: OAuthServer, user: OAuthUser
) -> None:
    account = user.account()
    failure = await failure_of(connect(account))
    assert (failure.kind, failure.subject) == (FailureKind.SIGN_IN_NEEDED, "notes")
    assert await failure_of(connect(account)) == failure
    assert server.requests == {"/mcp": 1}


async def test_after_a_sign_in_calls_work_also_after_a_restart(
    server: OAuthServer, user: OAuthUser
) -> None:
    account = user.account()
    page = await sign_in(account)
    assert (page.status_code, "Thank you" in page.text) == (200, True)
    for each in (account, user.account()):
        connection = await connect(each)
        assert await content_of(connection, "echo", a=1) == {"a": 1}
        await connection.close()
    assert server.count("/token", "/register", "/authorize") == 3


async def test_the_authorization_request_has_pkce_state_and_resource(
    server: OAuthServer, user: OAuthUser
) -> None:
    pending = await start_sign_in(user.account())
    finishing = spawn(pending.finish(), name="finish")
    query = parse_qs(urlsplit(pending.sign_in.authorization_url).query)
    assert query["code_challenge_method"] == ["S256"]
    assert len(query["state"][0]) >= 43
    assert query["resource"] == [user.url]
    assert query["scope"] == [SCOPE]
    assert pending.sign_in.expires_at == user.clock() + timedelta(minutes=5)
    assert urlsplit(query["redirect_uri"][0]).hostname == "127.0.0.1"
    await visit(pending.sign_in.authorization_url)
    await finishing
    [token] = server.provider.access.values()
    assert token.resource == user.url


async def test_stored_tokens_are_keyed_by_issuer_and_resource(
    server: OAuthServer, user: OAuthUser
) -> None:
    await sign_in(user.account())
    names = {
        name.split(" ")[0]: name.split(" ")[1:]
        for name in user.secrets.values
        if "/server " not in name
    }
    place = [f"{server.url}/", user.url]
    assert names == {"oauth/personal/client": place, "oauth/personal/tokens": place}


async def test_a_token_is_refreshed_before_it_expires(server: OAuthServer, user: OAuthUser) -> None:
    account = user.account()
    await sign_in(account)
    connection = await connect(account)
    user.clock.advance(timedelta(seconds=3600 - 59))
    await asyncio.gather(*(content_of(connection, "echo", n=n) for n in range(5)))
    await connection.close()
    assert server.requests["/token"] == 2
    assert json.loads(user.secrets.values[tokens_name(server, user)])["accessToken"] in (
        server.provider.access
    )


@pytest.mark.parametrize(("lifetime_s", "passed_s", "refreshes"), [(30, 14, 0), (30, 16, 1)])
async def test_a_token_that_lives_shortly_is_not_refreshed_for_every_request(
    server: OAuthServer, user: OAuthUser, lifetime_s: int, passed_s: int, refreshes: int
) -> None:
    server.provider.expires_in = lifetime_s
    account = user.account()
    await sign_in(account)
    server.requests.clear()
    user.clock.advance(timedelta(seconds=passed_s))
    assert len({await account.token() for _ in range(5)}) == 1
    assert server.requests["/token"] == refreshes


async def test_a_lifetime_of_zero_is_none(server: OAuthServer, user: OAuthUser) -> None:
    server.provider.expires_in = 0
    account = user.account()
    await sign_in(account)
    user.clock.advance(timedelta(days=1))
    await account.token()
    assert server.requests["/token"] == 1


async def test_a_refresh_that_was_not_answered_is_not_sent_for_every_request(
    server: OAuthServer, user: OAuthUser
) -> None:
    account = user.account()
    await sign_in(account)
    user.clock.advance(timedelta(hours=2))
    server.unavailable = True
    server.requests.clear()
    failures = await asyncio.gather(*(failure_of(account.token()) for _ in range(5)))
    assert {failure.kind for failure in failures} == {FailureKind.UNREACHABLE}
    assert server.requests["/token"] == 1
    server.unavailable = False
    assert (await failure_of(account.token())).kind is FailureKind.UNREACHABLE
    user.clock.advance(timedelta(seconds=10))
    assert await account.token() in server.provider.access
    assert server.requests["/token"] == 2


async def test_a_token_the_server_rejects_is_refreshed_once(
    server: OAuthServer, user: OAuthUser
) -> None:
    account = user.account()
    await sign_in(account)
    connection = await connect(account)
    server.provider.expire_access()
    answers = await asyncio.gather(*(content_of(connection, "echo", n=n) for n in range(5)))
    await connection.close()
    assert [answer["n"] for answer in answers] == list(range(5))
    assert server.requests["/token"] == 2


async def test_a_call_cancelled_during_a_refresh_does_not_lose_the_sign_in(
    server: OAuthServer, user: OAuthUser
) -> None:
    account = user.account()
    await sign_in(account)
    connection = await connect(account)
    server.provider.expire_access()
    cancelled_call = spawn(account.replace_token(await account.token(), ""), name="leaving")
    await asyncio.wait([cancelled_call], timeout=0)
    cancelled_call.cancel()
    assert await content_of(connection, "echo", a=1) == {"a": 1}
    await connection.close()
    assert server.requests["/token"] == 2


async def test_a_revoked_sign_in_ends_without_a_loop(server: OAuthServer, user: OAuthUser) -> None:
    account = user.account()
    await sign_in(account)
    connection = await connect(account)
    server.provider.revoke_all()
    server.requests.clear()
    failures = await asyncio.gather(
        *(failure_of(content_of(connection, "echo", n=n)) for n in range(5))
    )
    await connection.close()
    again = await failure_of(connect(account))
    assert {failure.kind for failure in (*failures, again)} == {FailureKind.SIGN_IN_NEEDED}
    assert again.detail == "the sign-in has ended"
    assert server.requests["/token"] == 1
    assert tokens_name(server, user) not in user.secrets.values
    await sign_in(account)
    await (await connect(account)).close()
    assert server.requests["/register"] == 0


async def test_a_refreshed_token_that_is_rejected_is_not_refreshed_again(
    server: OAuthServer, user: OAuthUser
) -> None:
    server.provider.accepts_tokens = False
    account = user.account()
    await sign_in(account)
    server.requests.clear()
    failures = [await failure_of(connect(account)) for _ in range(3)]
    assert {f.detail for f in failures} == {"it refuses the token it was just given"}
    assert server.requests == {"/mcp": 1}
    account.reset()
    await failure_of(connect(account))
    assert server.requests == {"/mcp": 4, "/token": 1}


async def test_an_unreachable_authorization_server_does_not_end_a_sign_in(
    server: OAuthServer, user: OAuthUser
) -> None:
    account = user.account()
    await sign_in(account)
    name = tokens_name(server, user)
    kept = json.loads(user.secrets.values[name])
    user.clock.advance(timedelta(hours=2))
    with refusing_port() as port:
        nowhere = f"127.0.0.1:{port}"
        kept["tokenEndpoint"] = f"http://{nowhere}/token"
        user.secrets.values[name] = json.dumps(kept)
        failure = await failure_of(connect(user.account()))
    assert (failure.kind, failure.subject) == (FailureKind.UNREACHABLE, nowhere)
    assert name in user.secrets.values


async def test_a_preregistered_client_is_used(server: OAuthServer, user: OAuthUser) -> None:
    port = reserved_port()
    server.provider.clients = {
        "by-hand": OAuthClientInformationFull(
            client_id="by-hand",
            client_secret="its-secret",
            redirect_uris=[AnyUrl(f"http://127.0.0.1:{port}/callback")],
            token_endpoint_auth_method="client_secret_basic",
            scope=SCOPE,
        )
    }
    user.options = OAuthConfig(client_id="by-hand", client_secret="its-secret", callback_port=port)
    await sign_in(user.account())
    server.provider.expire_access()
    await (await connect(user.account())).close()
    assert (server.requests["/register"], server.requests["/token"]) == (0, 2)
    assert not any("its-secret" in value for value in user.secrets.values.values())


async def test_a_server_without_dynamic_registration_asks_for_a_client_id(user: OAuthUser) -> None:
    server = OAuthServer(registration=False)
    with server.served() as url, pytest.raises(SignInFailed) as caught:
        await start_sign_in(OAuthUser(url).account())
    assert "clientId" in caught.value.hint


@pytest.mark.parametrize("query", [{"state": "wrong"}, {}])
async def test_a_callback_with_a_wrong_state_is_ignored_and_the_right_one_accepted(
    user: OAuthUser, query: dict[str, str]
) -> None:
    pending = await start_sign_in(user.account())
    finishing = spawn(pending.finish(), name="finish")
    asked = parse_qs(urlsplit(pending.sign_in.authorization_url).query)
    forged = await visit(f"{asked['redirect_uri'][0]}?{urlencode({'code': 'forged', **query})}")
    elsewhere = await visit(asked["redirect_uri"][0].replace("/callback", "/other"))
    assert (forged.status_code, elsewhere.status_code) == (400, 404)
    await visit(pending.sign_in.authorization_url)
    await finishing


async def test_a_callback_of_another_issuer_is_refused(
    server: OAuthServer, user: OAuthUser
) -> None:
    server.provider.answers_as = "https://evil.example"
    with pytest.raises(SignInFailed, match="a different issuer"):
        await sign_in(user.account())
    assert server.requests["/token"] == 0


async def test_a_promised_iss_parameter_is_required(server: OAuthServer, user: OAuthUser) -> None:
    server.server_metadata = {"authorization_response_iss_parameter_supported": True}
    server.provider.denies = True
    with pytest.raises(SignInFailed, match="does not name its issuer"):
        await sign_in(user.account())


async def test_a_declined_sign_in_fails(server: OAuthServer, user: OAuthUser) -> None:
    server.provider.denies = True
    with pytest.raises(SignInFailed, match="access_denied"):
        await sign_in(user.account())


async def test_an_unfinished_sign_in_times_out_and_its_listener_closes(user: OAuthUser) -> None:
    pending = await start_sign_in(user.account(), timeout_s=0.01)
    with pytest.raises(SignInFailed, match="The sign-in timed out"):
        await pending.finish()
    redirect = parse_qs(urlsplit(pending.sign_in.authorization_url).query)["redirect_uri"][0]
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", urlsplit(redirect).port)


async def test_signing_out_revokes_the_tokens(server: OAuthServer, user: OAuthUser) -> None:
    account = user.account()
    await sign_in(account)
    await account.sign_out()
    assert (server.provider.access, server.requests["/revoke"]) == ({}, 1)
    assert not any("/tokens " in name for name in user.secrets.values)
    assert (await failure_of(connect(account))).detail == "you signed out"


async def test_no_log_line_has_a_secret(
    server: OAuthServer, user: OAuthUser, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    account = user.account()
    await sign_in(account)
    for invalidate in (server.provider.expire_access, server.provider.revoke_all):
        connection = await connect(account)
        invalidate()
        calling = spawn(connection.request("tools/list"), name="call")
        await asyncio.wait([calling])
        await connection.close()
    await failure_of(connect(account))
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("router")]
    assert len(server.provider.issued) >= 5
    assert not [line for line in ours for secret in server.provider.issued if secret in line]


def tokens_name(server: OAuthServer, user: OAuthUser) -> str:
    return f"oauth/personal/tokens {server.url}/ {user.url}"
