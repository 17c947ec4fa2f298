"""Collects, checks and compiles the translations of the window.

translations.py compile   resources/translations/*.ts -> *.qm, if the .ts file is newer
translations.py update    the texts in the code -> resources/translations/*.ts
translations.py check     list untranslated texts; exit code 1 if there are any
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
PLURALS_ONLY = "_en"
TRANSLATED_CALLS = frozenset(
    "sentence ToolboothError InvalidInput NotFound Refused Conflict ConfigError"
    " SecretUnavailable SignInFailed GrantRefused CloudFailed _described"
    " changed_meanwhile file_edit.changed_meanwhile".split()
)
"""The functions and errors of the router whose texts are shown to users."""
UNTRANSLATED = (
    *("bridge/", "cli/", "commands/", "discovery/sandbox/", "gateway/", "scripts/"),
    "runtime/local_ipc.py",
    *("catalog/lua_names.py", "catalog/view.py", "upstream/instance_key.py"),
)
"""Texts in these modules only reach clients, terminals and sandboxes."""
UNTRANSLATED_EXCEPT = ("gateway/http/listener.py",)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compile, update or check the translations.")
    parser.add_argument("action", choices=("compile", "update", "check"))
    match parser.parse_args().action:
        case "compile":
            compile_newer(FOLDER)
        case "update":
            update(FOLDER)
        case _:
            return check()
    return 0


def compile_newer(folder: Path) -> None:
    for source in sorted(folder.glob("*.ts")):
        target = source.with_suffix(".qm")
        if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
            fresh = target.with_suffix(".new")  # a running window has the old one mapped
            run("lrelease", "-silent", str(source), "-qm", str(fresh))
            fresh.replace(target)


def update(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as elsewhere:
        declared = Path(elsewhere) / "settings_texts.py"
        declared.write_text(settings_texts(), encoding="utf-8")
        sources = [str(path) for path in sorted((ROOT / "gui").rglob("*.py"))]
        for target in sorted(folder.glob("*.ts")):
            plurals = ["-pluralonly"] if target.stem.endswith(PLURALS_ONLY) else []
            options = ["-silent", "-locations", "none", "-no-obsolete", *plurals]
            run("lupdate", *options, *sources, str(declared), "-ts", str(target))


def check() -> int:
    """On copies, so that checking changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        copies = Path(shutil.copytree(FOLDER, Path(folder) / "copies"))
        update(copies)
        missing = [
            f"{path.name}: {text}"
            for path in sorted(copies.glob("*.ts"))
            for text in unfinished_texts(path)
        ]
    print("\n".join(missing), file=sys.stderr)
    return 1 if missing else 0


def unfinished_texts(path: Path) -> list[str]:
    messages = ElementTree.parse(path).getroot().iter("message")  # noqa: S314 - our own file
    return [
        message.findtext("source", "")
        for message in messages
        if (found := message.find("translation")) is not None and found.get("type") == "unfinished"
    ]


def settings_texts() -> str:
    """The texts of the router, which does not use Qt, as calls that lupdate finds."""
    sys.path.insert(0, str(ROOT))
    from router.config.settings import Settings
    from router.domain.receipts import Unseen, Why

    settings = (field.description for field in Settings.model_fields.values())
    texts = (*settings, *(words.value for words in (*Unseen, *Why)), *sentences(ROOT / "router"))
    return "".join(f"tr({json.dumps(text)})\n" for text in texts if text)


def sentences(folder: Path) -> list[str]:
    """The templates of `sentence`, and the constants given to errors, each once."""
    found: dict[str, None] = {}
    for path in translated_modules(folder):
        found.update(dict.fromkeys(_texts_in(ast.parse(path.read_text(encoding="utf-8")))))
    return list(found)


def translated_modules(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if name in UNTRANSLATED_EXCEPT or not name.startswith(UNTRANSLATED):
            yield path


def _texts_in(module: ast.Module) -> Iterator[str]:
    named = {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for call in ast.walk(module):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in TRANSLATED_CALLS:
            continue
        for argument in call.args:
            given = named.get(argument.id) if isinstance(argument, ast.Name) else argument
            if isinstance(given, ast.Constant) and isinstance(given.value, str) and given.value:
                yield given.value


def run(tool: str, *arguments: str) -> None:
    script = f"pyside6-{tool}" + (".exe" if os.name == "nt" else "")
    subprocess.run([str(Path(sys.executable).parent / script), *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())
