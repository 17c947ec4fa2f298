"""Ports for tests that must know one before it is used."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager

import pytest


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


HAS_IPV6 = _has_ipv6()
IPV6_ONLY = pytest.mark.skipif(not HAS_IPV6, reason="this computer has no ::1")


def reserved_port() -> int:
    """A port to bind by number; the system gives it to no other program for a minute.

    A connection in TIME_WAIT keeps it from being given away, but not from being bound.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            accepted, _ = listener.accept()
            accepted.close()  # before the other end, or that one's port would be reserved
    return port


@contextmanager
def refusing_port() -> Generator[int]:
    """A port where nothing listens, nor can until the context ends."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]
