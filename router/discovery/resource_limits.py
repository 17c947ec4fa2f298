"""Limits of a process by `setrlimit`, for launchers and workers. Imports only the standard library;
not for Windows."""

from __future__ import annotations

import resource
from collections.abc import Mapping


def set_limits(limits: Mapping[int, int]) -> None:
    """Limit this process and all it starts, by `RLIMIT_…`; a lower limit in force stays."""
    for kind, value in limits.items():
        _, hard = resource.getrlimit(kind)
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))
