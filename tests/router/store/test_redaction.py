"""What a server was given as a secret is in no text that leaves us."""

from __future__ import annotations

import pytest

from router.config.secret_detection import secret_values
from router.domain.ids import ServerId, ServerRef, WorkspaceId
from router.store.redaction import MASK, Redactor

REF = ServerRef(WorkspaceId("home"), ServerId("files"))
TOKEN = f"tbt_0123abcd_{'x' * 43}"


def knowing(*values: str) -> Redactor:
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
    assert MASK in knowing(secret).text(text)
    assert secret not in knowing(secret).text(text)


def test_credentials_are_masked_though_nobody_told_of_them() -> None:
    text = knowing().text(f"sent Authorization: Bearer eyJhbGciOi.x-y and {TOKEN}")
    assert text == f"sent Authorization: Bearer {MASK} and tbt_0123abcd_{MASK}"


def test_of_two_secrets_the_longer_goes_whole() -> None:
    assert knowing("hunter22", "hunter22-and-more").text("hunter22-and-more") == MASK


def test_a_value_too_short_to_be_a_secret_leaves_texts_readable() -> None:
    assert knowing("on", "").text("one on one") == "one on one"


def test_json_keeps_its_shape_and_masks_by_name_only_if_asked() -> None:
    value = {"token": "abc", "nested": [{"text": "hunter22"}, 7, None, True]}
    clean = {"token": "abc", "nested": [{"text": MASK}, 7, None, True]}
    assert knowing("hunter22").json(value) == clean
    assert knowing("hunter22").json(value, by_name=True) == clean | {"token": MASK}


def test_what_a_sign_in_gave_is_known_beside_what_the_settings_say() -> None:
    redactor = knowing("hunter22")
    redactor.set_secrets(REF, ["signed-in"], "sign-in")
    redactor.set_secrets(REF, ["hunter23"])
    assert redactor.text("hunter23 signed-in hunter22") == f"{MASK} {MASK} hunter22"


def test_a_server_that_is_gone_is_forgotten() -> None:
    redactor = knowing("hunter22")
    redactor.set_secrets(REF, ["signed-in"], "sign-in")
    redactor.forget(REF)
    assert redactor.text("hunter22 signed-in") == "hunter22 signed-in"


def test_of_an_environment_the_secret_ones_are_meant() -> None:
    assert secret_values({"API_KEY": "a", "LANG": "b", "Authorization": "c"}) == ["a", "c"]
