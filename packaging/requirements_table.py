"""Updates docs/requirements.md: the list of tests under each requirement.

    requirements_table.py         update the lists
    requirements_table.py check   print errors and exit with 1 if there are any

A test names the requirement it proves with `@pytest.mark.proves("CACHE-4")`, on itself or on its
class. The tests are parsed, not imported.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "requirements.md"
HEADING = re.compile(r"^### (?P<name>[A-Z]+-\d+)$")
TEST = re.compile(r"^- `tests/.+`$")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def main() -> None:
    parser = argparse.ArgumentParser(description="Update docs/requirements.md.")
    parser.add_argument("command", nargs="?", default="write", choices=["write", "check"])
    command: str = parser.parse_args().command
    text = DOCUMENT.read_text()
    tests = tests_by_requirement(ROOT / "tests")
    updated = with_tests(text, tests)
    if command == "write":
        DOCUMENT.write_text(updated)
    errors = unmatched_names(text, tests)
    if command == "check" and updated != text:
        errors.append("The lists of tests are out of date. Run packaging/requirements_table.py.")
    sys.exit("\n".join(errors) if errors else 0)


def tests_by_requirement(folder: Path) -> dict[str, list[str]]:
    """The node ids of the tests that prove each requirement, in order."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        module = path.relative_to(ROOT).as_posix()
        for test, names in marked_tests(ast.parse(path.read_text()).body):
            for name in names:
                found[name].append(f"{module}::{test}")
    return found


def marked_tests(
    body: Sequence[ast.stmt], prefix: str = "", inherited: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in body:
        if not isinstance(node, Definition):
            continue
        names = inherited + proved_names(node)
        if isinstance(node, ast.ClassDef):
            yield from marked_tests(node.body, f"{prefix}{node.name}::", names)
        elif names and node.name.startswith("test_"):
            yield f"{prefix}{node.name}", names


def proved_names(node: Definition) -> tuple[str, ...]:
    return tuple(
        str(ast.literal_eval(argument))
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.proves"
        for argument in decorator.args
    )


def with_tests(text: str, tests: Mapping[str, list[str]]) -> str:
    """The document with the list under each requirement made from `tests`."""
    lines: list[str] = []
    for section in re.split(r"(?m)^(?=#)", text):
        kept = "\n".join(line for line in section.splitlines() if not TEST.match(line)).strip()
        heading = HEADING.match(kept.split("\n")[0])
        listed = [f"- `{test}`" for test in tests.get(heading["name"], [])] if heading else []
        lines += [kept, "", *listed, *([""] if listed else [])]
    return "\n".join(lines).strip() + "\n"


def unmatched_names(text: str, tests: Mapping[str, list[str]]) -> list[str]:
    named = [match["name"] for line in text.splitlines() if (match := HEADING.match(line))]
    unproved = [f"No test proves {name}." for name in named if not tests.get(name)]
    unknown = [
        f"{test} proves {name}, which is not a requirement."
        for name in sorted(set(tests) - set(named))
        for test in tests[name]
    ]
    return unproved + unknown


if __name__ == "__main__":
    main()
