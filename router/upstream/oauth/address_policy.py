"""Which addresses a sign-in may connect to.

A server on the internet names its authorization server, and could name hosts inside the user's
network (server-side request forgery). So no address may be more local than the server itself.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from enum import IntEnum
from typing import TypeAlias

import httpx2

from router.domain.errors import sentence
from router.upstream.oauth.errors import SignInFailed

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve: TypeAlias = Callable[[str], Awaitable[list[Address]]]
"""The addresses of a host name; raises `OSError` if there are none."""

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class Reach(IntEnum):
    """How local an address is."""

    PUBLIC = 0
    PRIVATE = 1
    LOOPBACK = 2
    NEVER = 3
    """Link-local addresses, where clouds serve credentials, and those that are not a host."""


def reach_of(address: Address) -> Reach:
    address = _embedded_ipv4(address)
    if address.is_loopback:
        return Reach.LOOPBACK
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        return Reach.NEVER
    return Reach.PUBLIC if address.is_global else Reach.PRIVATE


def limit_for(host: str, addresses: Iterable[Address]) -> Reach:
    """How local an address may be that the server at `host` refers to.

    As local as the least local of its own addresses: with one public address it is public. Only
    `localhost` or an IP literal counts as this computer, since a name may resolve elsewhere later.
    """
    own = min(map(reach_of, addresses), default=Reach.PUBLIC)
    on_this_computer = host == "localhost" or ip_literal(host) is not None
    return own if own is Reach.LOOPBACK and on_this_computer else min(own, Reach.PRIVATE)


def ip_literal(host: str) -> Address | None:
    """`host` as an IP address, if it is one and not a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


async def resolve_host(host: str) -> list[Address]:
    if (address := ip_literal(host)) is not None:
        return [address]
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    texts = dict.fromkeys(str(entry[4][0]) for entry in found)
    return [address for text in texts if (address := ip_literal(text)) is not None]


def checked_url(text: str) -> httpx2.URL:
    """`text` as a URL that tokens may be sent to and a browser may open: https, or http on this
    computer. Raises `SignInFailed`."""
    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, TypeError):
        raise SignInFailed("The server gave an invalid sign-in address.") from None
    if not url.host or url.userinfo or not _is_safe(url):
        shown = f"{url.scheme[:20]}://{url.host}" if url.host else f"{url.scheme[:20]}:"
        raise SignInFailed(
            sentence("The server's sign-in address {shown} is not secure.", shown=shown),
            "Only https:// is accepted, or http:// on this computer.",
        )
    return url


def _is_safe(url: httpx2.URL) -> bool:
    if url.scheme == "https":
        return True
    address = ip_literal(url.host)
    on_loopback = url.host == "localhost" or (address is not None and address.is_loopback)
    return url.scheme == "http" and on_loopback


def _embedded_ipv4(address: Address) -> Address:
    """The IPv4 address embedded in an IPv6 address, if there is one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
