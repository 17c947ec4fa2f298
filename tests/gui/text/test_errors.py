"""Errors of the router are shown in the user's language, with their names and numbers."""

from __future__ import annotations

import ast
import runpy
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtWidgets import QApplication

import router
from gui.desktop.language import Language
from gui.text.errors import error_text, failure_hint, translated
from router.domain.errors import ConfigError, Conflict, NoWorkspace, UpstreamFailed, sentence
from router.domain.failures import Failure, FailureKind
from router.store.redaction import Redactor

ROUTER = Path(router.__path__[0])
TOOL = ROUTER.parent / "packaging" / "translations.py"
FACTS: dict[str, Any] = runpy.run_path(str(TOOL))
TAKEN = Conflict(
    sentence("Port {port} is already in use by another program.", port=3717),
    "Stop that program, or choose another port in Settings or with --port.",
)
UNREACHABLE = UpstreamFailed(
    Failure(FailureKind.UNREACHABLE, "mcp.example.com"), "Can’t reach mcp.example.com."
)


@pytest.fixture
def japanese(qapp: QApplication) -> Iterator[None]:
    subprocess.run([sys.executable, str(TOOL), "compile"], check=True)
    language = Language(qapp)
    language.use("ja")
    yield
    language.forget()


@pytest.mark.usefixtures("japanese")
def test_sign_in_failures_are_translated() -> None:
    denied = sentence("The sign-in was denied ({reason}).", reason="access_denied")
    shown = Redactor().text(denied)
    hint = failure_hint(Failure(FailureKind.SIGN_IN_NEEDED, "notes", shown))
    assert hint.startswith(translated(denied))
    assert "access_denied" in hint
    assert "denied (" not in hint


@pytest.mark.usefixtures("japanese")
@pytest.mark.parametrize(
    ("error", "start"),
    [
        (TAKEN, "ポート 3717 は別のプログラムが使用中です。 そのプログラムを終了するか"),
        (NoWorkspace("仕事"), "ワークスペース「仕事」はありません。"),
        (ConfigError(Path("a.json"), 3, "JSON does not allow comments"), "a.json、3 行目: JSON に"),
        (ConfigError(Path("a.json"), None, "it must be an object: { ... }"), "a.json: オブ"),
        (UNREACHABLE, "mcp.example.com"),
    ],
)  # fmt: skip
def test_errors_are_translated(error: Conflict, start: str) -> None:
    translation = error_text(error)
    assert translation.startswith(start)
    assert error.message not in translation


@pytest.mark.usefixtures("japanese")
def test_nested_reasons_of_a_search_fallback_are_translated() -> None:
    why = sentence("cloud search failed ({reason})", reason=sentence("it rejected the token"))
    note = sentence("{why}: answered by {strategy}", why=why, strategy="hybrid")
    assert note == "cloud search failed (it rejected the token): answered by hybrid"
    assert translated(note) == (
        "クラウド検索に失敗しました（トークンが拒否されました）。hybrid で検索しました"
    )


def test_without_a_translation_the_english_text_is_shown() -> None:
    assert translated(sentence("{name} is {{odd}}.", name="{x}")) == "{x} is {odd}."
    assert translated("Never heard {of}.") == "Never heard {of}."
    assert translated("") == ""


def test_translations_have_the_placeholders_of_their_source() -> None:
    messages = ElementTree.parse(FACTS["FOLDER"] / "toolbooth_ja.ts").getroot().iter("message")
    for message in messages:
        source, target = message.findtext("source", ""), message.findtext("translation", "")
        if "${" not in source and "{ ..." not in source and target:
            assert _parts(target) <= _parts(source), source


def _parts(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_every_error_shown_to_users_is_translatable() -> None:
    hidden = [
        f"{path.relative_to(ROUTER)}:{call.lineno}"
        for path in FACTS["translated_modules"](ROUTER)
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in FACTS["TRANSLATED_CALLS"]
        if any(isinstance(argument, ast.JoinedStr) for argument in call.args)
    ]
    assert hidden == []
