"""A pytest plugin: the report header names the isolation level of the run."""

from __future__ import annotations

from router.discovery.sandbox.self_test import supported_sandbox


def pytest_report_header() -> list[str]:
    found = supported_sandbox()
    return [f"protection: level {int(found.profile.level)}", *map(str, found.missing)]
