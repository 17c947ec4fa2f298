"""Where a sign-in may not lead: URLs a hostile server names are refused."""

from __future__ import annotations

import ipaddress
from collections.abc import Generator
from typing import Any

import pytest

from router.upstream.oauth.address_policy import Address, Reach, checked_url, limit_for, reach_of
from router.upstream.oauth.errors import SignInFailed
from router.upstream.oauth.flow import start_sign_in
from router.upstream.oauth.guarded_http_client import GuardedHttpClient
from tests.router.upstream.oauth.oauth_user import OAuthUser
from tests.servers.oauth_server import OAuthServer

INTERNAL = "on your own network"


@pytest.fixture
def server() -> OAuthServer:
    return OAuthServer()


@pytest.fixture
def user(server: OAuthServer) -> Generator[OAuthUser]:
    with server.served() as url:
        yield OAuthUser(url)


def names(**addresses: str) -> Any:
    """A resolver that knows only these names."""

    async def resolve_host(host: str) -> list[Address]:
        found = addresses.get(host.replace(".", "_"))
        return [ipaddress.ip_address(found or host)]

    return resolve_host


@pytest.mark.parametrize(
    "issuer", ["https://169.254.169.254", "https://[fe80::1]", "https://0.0.0.0"]
)
async def test_even_a_local_server_cannot_lead_to_link_local_addresses(
    server: OAuthServer, user: OAuthUser, issuer: str
) -> None:
    server.resource_metadata = {"authorization_servers": [issuer]}
    with pytest.raises(SignInFailed, match=INTERNAL):
        await start_sign_in(user.account())


@pytest.mark.parametrize(
    "issuer", ["file:///etc/passwd", "http://example.com", "ftp://example.com", "javascript:x"]
)
async def test_an_issuer_must_have_a_safe_url(
    server: OAuthServer, user: OAuthUser, issuer: str
) -> None:
    server.resource_metadata = {"authorization_servers": [issuer]}
    with pytest.raises(SignInFailed):
        await start_sign_in(user.account())
    assert server.requests["/register"] == 0


@pytest.mark.parametrize("name", ["authorization_endpoint", "token_endpoint"])
@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://example.com/", ""],
)
async def test_every_endpoint_must_be_a_safe_url(
    server: OAuthServer, user: OAuthUser, name: str, address: str
) -> None:
    server.server_metadata = {name: address}
    with pytest.raises(SignInFailed):
        await start_sign_in(user.account())
    assert server.requests["/register"] == 0


async def test_the_authorization_url_is_checked_too(server: OAuthServer, user: OAuthUser) -> None:
    server.server_metadata = {"authorization_endpoint": "https://169.254.169.254/authorize"}
    with pytest.raises(SignInFailed, match=INTERNAL):
        await start_sign_in(user.account())


@pytest.mark.parametrize(
    "inside",
    ["10.0.0.1", "192.168.1.1", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1", "fd00::1"],
)
async def test_a_public_server_cannot_lead_to_private_addresses(inside: str) -> None:
    http = GuardedHttpClient(
        "https://mcp.example", resolve_host=names(mcp_example="8.8.8.8", evil_example=inside)
    )
    with pytest.raises(SignInFailed, match=INTERNAL):
        await http.get("https://evil.example/.well-known/oauth-authorization-server")


async def test_metadata_of_another_url_or_issuer_is_refused(
    server: OAuthServer, user: OAuthUser
) -> None:
    server.resource_metadata = {"resource": "https://elsewhere.example/mcp"}
    with pytest.raises(SignInFailed, match="a different address"):
        await start_sign_in(user.account())
    server.resource_metadata = {}
    server.server_metadata = {"issuer": "https://elsewhere.example"}
    with pytest.raises(SignInFailed, match="another authorization server"):
        await start_sign_in(user.account())


async def test_a_sign_in_without_pkce_is_refused(server: OAuthServer, user: OAuthUser) -> None:
    server.server_metadata = {"code_challenge_methods_supported": ["plain"]}
    with pytest.raises(SignInFailed, match="PKCE"):
        await start_sign_in(user.account())


MALFORMED = ["http://[", "https://a:99999/", "https://a b/", f"https://{'a' * 64}.example/", "\0"]


@pytest.mark.parametrize("value", [*MALFORMED, 5, {"a": 1}, "x" * 10_000], ids=ascii)
@pytest.mark.parametrize("name", ["resource", "authorization_servers"])
async def test_malformed_resource_metadata_fails_the_sign_in(
    server: OAuthServer, user: OAuthUser, name: str, value: object
) -> None:
    server.resource_metadata = {name: value if name == "resource" else [value]}
    with pytest.raises(SignInFailed):
        await start_sign_in(user.account())
    assert server.requests["/register"] == 0


@pytest.mark.parametrize("value", MALFORMED, ids=ascii)
@pytest.mark.parametrize("name", ["issuer", "authorization_endpoint", "registration_endpoint"])
async def test_malformed_server_metadata_fails_the_sign_in(
    server: OAuthServer, user: OAuthUser, name: str, value: str
) -> None:
    server.server_metadata = {name: value}
    with pytest.raises(SignInFailed):
        await start_sign_in(user.account())


@pytest.mark.parametrize(
    ("address", "reach"),
    [
        ("8.8.8.8", Reach.PUBLIC),
        ("2606:4700::1", Reach.PUBLIC),
        ("10.1.2.3", Reach.PRIVATE),
        ("100.64.0.1", Reach.PRIVATE),
        ("fd00:ec2::254", Reach.PRIVATE),
        ("127.0.0.2", Reach.LOOPBACK),
        ("::1", Reach.LOOPBACK),
        ("::ffff:127.0.0.1", Reach.LOOPBACK),
        ("64:ff9b::7f00:1", Reach.LOOPBACK),
        ("2002:a00:1::", Reach.PRIVATE),
        ("169.254.169.254", Reach.NEVER),
        ("::ffff:169.254.169.254", Reach.NEVER),
        ("224.0.0.1", Reach.NEVER),
        ("0.0.0.0", Reach.NEVER),
    ],
)
def test_how_local_an_address_is(address: str, reach: Reach) -> None:
    assert reach_of(ipaddress.ip_address(address)) is reach


@pytest.mark.parametrize(
    ("host", "addresses", "limit"),
    [
        ("127.0.0.1", ["127.0.0.1"], Reach.LOOPBACK),
        ("localhost", ["::1", "127.0.0.1"], Reach.LOOPBACK),
        ("rebound.example", ["127.0.0.1"], Reach.PRIVATE),
        ("half.example", ["8.8.8.8", "127.0.0.1"], Reach.PUBLIC),
        ("intranet", ["10.0.0.1"], Reach.PRIVATE),
        ("169.254.1.1", ["169.254.1.1"], Reach.PRIVATE),
    ],
)
def test_how_local_a_server_may_lead(host: str, addresses: list[str], limit: Reach) -> None:
    assert limit_for(host, map(ipaddress.ip_address, addresses)) is limit


@pytest.mark.parametrize("url", ["https://user:pw@example.com", "https://", "http://[::2]/", "x"])
def test_odd_urls_are_refused(url: str) -> None:
    with pytest.raises(SignInFailed):
        checked_url(url)
