"""`toolbooth COMMAND`, from the command line to the exit code: 0 success, 1 failure, 2 wrong usage.

Results go to stdout, error messages to stderr. What a command needs is loaded after parsing, so
that `--help` and `--version` are quick.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from router.cli.foreground import CONNECT
from router.cli.parser import parse
from router.commands.command import PRINTED, Command, UsageError, warnings_of
from router.commands.output import print_to_stderr, printable
from router.domain.errors import ToolboothError

log = logging.getLogger(__name__)

DONE, FAILED, USAGE_ERROR = 0, 1, 2
_UNDECODED = re.compile("[\udc80-\udcff]")


def run(argv: Sequence[str], data_dir_of: Callable[[str | None], Path]) -> int:
    """Carry out the command line; returns the exit code."""
    try:
        return _run(argv, data_dir_of)
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:
        return _discard_output()
    except Exception as error:  # noqa: BLE001 - whatever went wrong, the terminal gets a sentence
        _print_error(_explained(error), as_json=_wants_json(argv))
        return USAGE_ERROR if isinstance(error, UsageError) else FAILED


def _run(argv: Sequence[str], data_dir_of: Callable[[str | None], Path]) -> int:
    _accept_any_text()
    call = parse([_decoded(word) for word in argv])
    data_dir = data_dir_of(call.data_dir)
    _check_folder(data_dir)
    if call.command.request is not None:
        call = replace(call, arguments=call.command.request(call.arguments))

    from router.cli.command_runner import execute

    result = execute(call, data_dir)
    if call.command.handler is None:
        return result
    code = _print(call.command, result, as_json=call.as_json)
    print(end="", flush=True)
    return code


def _print(command: Command, result: Any, *, as_json: bool) -> int:
    if result is PRINTED:
        return DONE
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        print_lines(command, result)
    if command.warns:
        print_to_stderr(warnings_of(result))
    return FAILED if command.failed is not None and command.failed(result) else DONE


def print_lines(command: Command, result: Any) -> None:
    for line in ["Done."] if command.lines is None else command.lines(result):
        print(printable(line))


def _wants_json(argv: Sequence[str]) -> bool:
    """Known without the parser, which may be what failed. What `connect` writes is MCP."""
    own = argv[: argv.index("--")] if "--" in argv else argv
    return "--json" in own and own[0] != CONNECT.name


def _decoded(word: str) -> str:
    """Where the locale knows only ASCII, Python leaves the bytes of other letters as they are."""
    try:
        return os.fsencode(word).decode() if _UNDECODED.search(word) else word
    except UnicodeDecodeError:
        raise UsageError("The command line is not UTF-8 text.") from None


def _accept_any_text() -> None:
    """A character that the terminal can't show is written as its number."""
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")


def _check_folder(data_dir: Path) -> None:
    if data_dir.exists() and not data_dir.is_dir():
        raise ToolboothError(
            f"{data_dir} is not a folder.",
            "Choose a folder with --data-dir or TOOLBOOTH_HOME.",
        )


def _discard_output() -> int:
    """The reader has closed the pipe, as `head` does; the rest goes nowhere at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def _explained(error: Exception) -> ToolboothError:
    if isinstance(error, ToolboothError):
        return error
    if isinstance(error, ModuleNotFoundError):
        return ToolboothError(
            f"{error.name} is missing from this installation.",
            "Reinstall Toolbooth. From source, run: make ready",
        )
    log.info("The command failed", exc_info=error)
    return ToolboothError(f"Unexpected {type(error).__name__}: {error}")


def _print_error(error: ToolboothError, *, as_json: bool) -> None:
    """A sentence on stderr; with `--json` also an object where the result would have been."""
    if as_json:
        print(
            json.dumps({"error": {"message": error.message, "hint": error.full_hint}}), flush=True
        )
    print(f"toolbooth: {printable(error.message)}", file=sys.stderr)
    if error.full_hint:
        print(f"           {printable(error.full_hint)}", file=sys.stderr)
