"""Reaching the endpoint over IPv4 and IPv6, and how little unauthenticated requests cost."""

from __future__ import annotations

import json
import logging
import socket

import httpx2
import pytest

from router.gateway.http.http_request import Receive, Scope, Send
from router.gateway.http.listener import Listener
from tests.support.ports import IPV6_ONLY
from tests.support.running_router import RunningRouter

UNFIT = '{"x":"%s","y":1,"y":1}' % ("x" * 100_000)
"""Who reads it would say what is wrong with it."""


@IPV6_ONLY
async def test_a_client_that_resolves_localhost_to_ipv6_is_served(
    running: RunningRouter,
) -> None:
    port = httpx2.URL(running.url).port
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for host in ("[::1]", "127.0.0.1"):
        url = f"http://{host}:{port}/mcp"
        answer = await running.http.post(url, json=message, headers=running.headers())
        assert answer.status_code == 400  # because it has no session
        assert (await running.http.post(url, json=message)).status_code == 401


@IPV6_ONLY
async def test_ipv4_is_served_although_another_program_has_the_ipv6_port(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.socket(socket.AF_INET6) as holder:
        holder.bind(("::1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with caplog.at_level(logging.WARNING, "router.gateway.http.listener"):
            listener = Listener(port, lambda _: silent, lambda: 10)
        await listener.stop()
        assert listener.port == port
        assert "must use 127.0.0.1" in caplog.text


async def silent(scope: Scope, receive: Receive, send: Send) -> None:
    """It never receives a request."""


@pytest.mark.proves("META-6")
async def test_an_unauthenticated_body_is_refused_unread(running: RunningRouter) -> None:
    wrong = '{"params":{"_meta":{"token":"tbt_00000000_wrong"}},"y":1,"y":1}'
    for body in (UNFIT, wrong, "{"):
        sent = running.http.post(running.url, content=body, headers=running.headers(token=""))
        assert (await sent).status_code == 401


@pytest.mark.proves("META-6")
async def test_a_token_in_meta_is_found_in_a_large_body(running: RunningRouter) -> None:
    arguments = {"query": ["x"], "context": "x" * 100_000, "token": "someone else's"}
    params = {"name": "tool_discovery", "arguments": arguments, "_meta": {"token": running.token}}
    answer = await running.post_modern("tools/call", params, token="")
    assert answer.status_code == 200, json.dumps(answer.json())[:500]
