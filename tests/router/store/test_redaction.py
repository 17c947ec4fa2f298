"""A server's secrets are in no text that leaves the router."""

from __future__ import annotations

import html
import re
from base64 import b64decode, b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus, unquote, unquote_plus

import pytest

from router.config.secret_detection import secret_values
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.store.redaction import MASK, Redactor

REF = ServerRef(WorkspaceId("home"), ServerId("files"))
TOKEN = f"tbt_0123abcd_{'x' * 43}"


def redactor_with(*values: str) -> Redactor:
    redactor = Redactor()
    redactor.set_secrets(REF, values)
    return redactor


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("hunter22", "wrong key: hunter22!"),
        ('pass"word\n', 'the line was "pass\\"word\\n"'),
        ("a b/c?d", "GET /?key=a%20b%2Fc%3Fd"),
    ],
)
def test_a_known_secret_is_masked_however_it_is_written(secret: str, text: str) -> None:
    assert MASK in redactor_with(secret).text(text)
    assert secret not in redactor_with(secret).text(text)


def test_unregistered_credentials_are_masked() -> None:
    text = redactor_with().text(f"sent Authorization: Bearer eyJhbGciOi.x-y and {TOKEN}")
    assert text == f"sent Authorization: Bearer {MASK} and tbt_0123abcd_{MASK}"


def test_of_overlapping_secrets_the_longer_is_masked_whole() -> None:
    assert redactor_with("hunter22", "hunter22-and-more").text("hunter22-and-more") == MASK


def test_a_value_too_short_to_be_a_secret_is_not_masked() -> None:
    assert redactor_with("on", "").text("one on one") == "one on one"


def test_json_keeps_its_shape_and_masks_by_name_only_if_asked() -> None:
    value = {"token": "abc", "nested": [{"text": "hunter22"}, 7, None, True]}
    clean = {"token": "abc", "nested": [{"text": MASK}, 7, None, True]}
    assert redactor_with("hunter22").json(value) == clean
    assert redactor_with("hunter22").json(value, by_name=True) == clean | {"token": MASK}


def test_tokens_of_a_sign_in_are_masked_beside_configured_secrets() -> None:
    redactor = redactor_with("hunter22")
    redactor.set_secrets(REF, ["signed-in"], "sign-in")
    redactor.set_secrets(REF, ["hunter23"])
    assert redactor.text("hunter23 signed-in hunter22") == f"{MASK} {MASK} hunter22"


def test_secrets_of_a_removed_server_are_forgotten() -> None:
    redactor = redactor_with("hunter22")
    redactor.set_secrets(REF, ["signed-in"], "sign-in")
    redactor.forget(REF)
    assert redactor.text("hunter22 signed-in") == "hunter22 signed-in"


def test_only_the_secret_variables_of_an_environment_are_selected() -> None:
    assert secret_values({"API_KEY": "a", "LANG": "b", "Authorization": "c"}) == ["a", "c"]


SECRET = "p@ss/word+é ß&<x>"


@pytest.mark.parametrize(
    "written",
    [
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        re.sub("%..", lambda found: found[0].lower(), quote(SECRET, safe="")),
        b64encode(SECRET.encode()).decode(),
        urlsafe_b64encode(SECRET.encode()).decode().rstrip("="),
        *(b64encode(f"{'u' * n}:{SECRET}".encode()).decode() for n in range(4)),
        *(urlsafe_b64encode(f"{'u' * n}:{SECRET}!".encode()).decode() for n in range(4)),
        html.escape(SECRET),
    ],
)
def test_an_encoded_secret_is_masked_too(written: str) -> None:
    shown = redactor_with(SECRET).text(f"Authorization: Basic {written} was refused")
    assert MASK in shown
    decoded = {unquote(shown), unquote_plus(shown), html.unescape(shown)}
    assert not any(SECRET in each for each in decoded)
    left = max(re.findall(r"[A-Za-z0-9+/_-]+", shown.replace("Authorization", "")), key=len)
    assert SECRET[3:9] not in b64decode(left + "===", validate=False).decode(errors="replace")


def test_a_secret_that_is_a_key_is_masked() -> None:
    assert redactor_with("hunter22").json({"hunter22": 1}) == {MASK: 1}
