from __future__ import annotations

import pytest

from router.config.secret_detection import (
    MASK,
    holds_secret,
    masked_address,
    masked_words,
    plain_secrets,
)
from router.config.server import ServerConfig

TOKEN = "ghp_0123456789abcdefghij"
JWT = "eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    "value",
    [
        "sk-proj-0123456789",
        TOKEN,
        "gho_0123456789",
        "github_pat_11ABCDEFG0",
        "xoxb-123456789-abc",
        "AKIAIOSFODNN7EXAMPLE",
        JWT,
        f"Bearer {JWT}",
        "postgres://me:hunter2@db.example/app",
        "https://example.com/mcp?api_key=hunter2",
    ],
)
def test_a_secret_value_is_detected_under_any_name(value: str) -> None:
    assert holds_secret(value)


@pytest.mark.parametrize(
    "value",
    [
        "task-manager-service",
        "risk-assessment-tool",
        "https://example.com:8443/a:b@c?max_tokens=5",
        "postgres://${env:WHO}:${env:PASSWORD}@db/app",
        "/home/me/sk",
        "eyJ",
    ],
)
def test_an_ordinary_value_is_not_a_secret(value: str) -> None:
    assert not holds_secret(value)


@pytest.mark.parametrize(
    ("words", "shown", "place"),
    [
        (["--token", "hunter2"], ["--token", MASK], "--token"),
        (["--api-key=hunter2"], [f"--api-key={MASK}"], "--api-key"),
        (["-e", "API_KEY=hunter2"], ["-e", f"API_KEY={MASK}"], "API_KEY"),
        (
            ["--header", "Authorization: Bearer hunter2"],
            ["--header", f"Authorization: {MASK}"],
            "Authorization",
        ),
        (["serve", TOKEN], ["serve", MASK], "an argument"),
        (["--db", "postgres://me:hunter2@db/x"], ["--db", f"postgres://me:{MASK}@db/x"], "--db"),
        (["https://x.example/?token=hunter2"], [f"https://x.example/?token={MASK}"], "token in an"),
    ],
)
def test_a_secret_in_a_command_line_is_found_and_masked(
    words: list[str], shown: list[str], place: str
) -> None:
    assert list(masked_words(words)) == shown
    [found] = plain_secrets(words, None)
    assert found.place.startswith(place)


@pytest.mark.parametrize(
    "words",
    [
        ["--token", "--verbose"],
        ["--header", "Authorization: ${AUTH}"],
        ["--max-tokens", "5000"],
        ["-e", "API_KEY"],
        ["-y", "@scope/package@1.2.3", "/home/me/keys"],
    ],
)
def test_a_command_line_without_a_secret_is_shown_as_it_is(words: list[str]) -> None:
    assert list(masked_words(words)) == words


def test_a_url_is_shown_without_its_secrets() -> None:
    url = "https://me:hunter2@x.example/mcp?api_key=abc%2Bdef&page=2"
    assert masked_address(url) == f"https://me:{MASK}@x.example/mcp?api_key={MASK}&page=2"


def test_the_target_of_a_server_contains_no_secret() -> None:
    assert ServerConfig(command="run", args=("--token", "hunter2")).target == f"run --token {MASK}"
    address = ServerConfig(url=f"https://me:hunter2@x.example/{TOKEN}?token=hunter2")
    assert address.target == f"x.example/{MASK}"
