"""Which variables of a server's configuration can load code, and how the user is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from router.domain.permissions import chooses_code, is_harmless, would_run
from tests.support.code_variables import CHOOSE_CODE

_ONLY_LOOKUP = {"CDPATH", "LOCALDOMAIN", "RES_OPTIONS", "PWD", "TZDIR"}
"""They choose code only together with others; consent covers them, but nobody is warned."""


@pytest.mark.parametrize("name", sorted(CHOOSE_CODE - _ONLY_LOOKUP))
def test_a_variable_that_can_load_code_is_flagged(name: str) -> None:
    assert chooses_code(name)
    assert f"{name} can make it run other code" in would_run("npx -y server", ["TZ", name])


@pytest.mark.parametrize("spell", [str, str.lower, str.upper])
def test_no_variable_that_can_load_code_counts_as_harmless(spell: Callable[[str], str]) -> None:
    assert not any(is_harmless(spell(name)) for name in CHOOSE_CODE)


@pytest.mark.parametrize("name", ["TZ", "API_KEY", "NODE_ENV", "MY_PATH", "OLD_", "CLOUD_REGION"])
def test_other_variables_are_not_flagged(name: str) -> None:
    assert not chooses_code(name)
    assert would_run("npx -y server", [name]) == f"“npx -y server” with {name}"


def test_a_consent_without_variables_shows_only_the_command() -> None:
    assert would_run("npx -y server", ()) == "“npx -y server”"
