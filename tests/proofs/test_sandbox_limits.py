"""How closely the sandbox enforces its limits on memory and CPU."""

from __future__ import annotations

import pytest

from router.discovery.sandbox.launch_spec import SandboxLimits
from tests.router.discovery.sandbox.confined_program import offered_profiles, run_confined, users

pytestmark = pytest.mark.proof


@pytest.mark.proves("DISC-6")
def test_a_process_over_its_memory_limit_is_killed_within_a_few_checks() -> None:
    for profile in offered_profiles()[:1]:
        run = run_confined(profile, users()[0], "eat", limits=SandboxLimits(memory_mb=64))
        assert 64 <= run.observations["peak_mb"] <= 64 * 3


@pytest.mark.proves("DISC-6")
def test_the_cpu_limit_is_not_exceeded() -> None:
    profile = offered_profiles()[0]
    run = run_confined(profile, users()[0], "spin", "2", limits=SandboxLimits(cpu_percent=25))
    assert run.answer["processor"] <= 2 * 0.25 + 0.25 + 0.3
