"""Which variables of a server's configuration can load code, and how the user is told."""

from __future__ import annotations

import pytest

from router.domain.permissions import chooses_code, would_run

FLAGGED = [
    *("npm_config_registry", "NPM_CONFIG_YES", "npm_config_yes", "npm_config_script_shell"),
    *("NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES"),
    *("PYTHONPATH", "PYTHONSTARTUP", "PIP_INDEX_URL", "UV_INDEX_URL", "PATH", "Path", "PATHEXT"),
]


@pytest.mark.parametrize("name", FLAGGED)
def test_a_variable_that_can_load_code_is_flagged(name: str) -> None:
    assert chooses_code(name)
    assert f"{name} can make it run other code" in would_run("npx -y server", ["TZ", name])


@pytest.mark.parametrize("name", ["TZ", "API_KEY", "NODE_ENV", "MY_PATH", "OLD_", "CLOUD_REGION"])
def test_other_variables_are_not_flagged(name: str) -> None:
    assert not chooses_code(name)
    assert would_run("npx -y server", [name]) == f"“npx -y server” with {name}"


def test_a_consent_without_variables_shows_only_the_command() -> None:
    assert would_run("npx -y server", ()) == "“npx -y server”"
