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
SPEAKERS = frozenset(
    "said ToolboothError InvalidInput NotFound Refused Conflict ConfigError"
    " SecretUnavailable SignInFailed GrantRefused CloudFailed".split()
)
"""What of the router speaks to a person."""
UNHEARD = (
    *("bridge/", "cli/", "commands/", "discovery/sandbox/", "gateway/", "scripts/"),
    "runtime/local_ipc.py",
    *("catalog/lua_names.py", "catalog/view.py", "upstream/instance_key.py"),
)
HEARD_FROM = ("gateway/http/listener.py",)


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
    """On copies, so that looking changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        copies = Path(shutil.copytree(FOLDER, Path(folder) / "copies"))
        update(copies)
        missing = [
            f"{path.name}: {text}"
            for path in sorted(copies.glob("*.ts"))
            for text in open_texts(path)
        ]
    print("\n".join(missing), file=sys.stderr)
    return 1 if missing else 0


def open_texts(path: Path) -> list[str]:
    messages = ElementTree.parse(path).getroot().iter("message")  # noqa: S314 - our own file
    return [
        message.findtext("source", "")
        for message in messages
        if (found := message.find("translation")) is not None and found.get("type") == "unfinished"
    ]


def settings_texts() -> str:
    """The texts that the router declares, which knows no Qt, as calls that lupdate finds."""
    sys.path.insert(0, str(ROOT))
    from router.config.settings import Settings
    from router.domain.receipts import Unseen, Why

    settings = (field.description for field in Settings.model_fields.values())
    texts = (*settings, *(words.value for words in (*Unseen, *Why)), *sentences(ROOT / "router"))
    return "".join(f"tr({json.dumps(text)})\n" for text in texts if text)


def sentences(folder: Path) -> list[str]:
    """What the router's errors say to a person: the templates of `said`, and constants given to
    errors. Rooms that only agents, terminals and sandboxes hear of are left out."""
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*.py")):
        room = path.relative_to(folder).as_posix()
        if room in HEARD_FROM or not room.startswith(UNHEARD):
            found.update(dict.fromkeys(_said_in(ast.parse(path.read_text(encoding="utf-8")))))
    return list(found)


def _said_in(module: ast.Module) -> Iterator[str]:
    named = {
        target.id: statement.value
        for statement in module.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    for call in ast.walk(module):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in SPEAKERS:
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
