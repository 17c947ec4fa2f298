"""`toolbooth COMMAND`, from the words to the exit code: 0 done, 1 failed, 2 wrong usage.

Results go to stdout, sentences about what went wrong to stderr. What a command needs is loaded when
it is known which one it is, so that `--help` and `--version` are quick.
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
from router.commands.command import PRINTED, Command, WrongUsage, warnings_of
from router.commands.output import tell
from router.domain.errors import ToolboothError

log = logging.getLogger(__name__)

DONE, FAILED, WRONG_USAGE = 0, 1, 2
_UNDECODED = re.compile("[\udc80-\udcff]")


def run(words: Sequence[str], data_dir_of: Callable[[str | None], Path]) -> int:
    """Do what the command line says; returns the exit code."""
    try:
        return _run(words, data_dir_of)
    except WrongUsage as error:
        return _complain(error, WRONG_USAGE, as_json=_wants_json(words))
    except ToolboothError as error:
        return _complain(error, FAILED, as_json=_wants_json(words))
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:
        return _discard_output()
    except ModuleNotFoundError as error:
        incomplete = ToolboothError(
            f"{error.name} is missing from this installation.",
            "Install again; from source, with: make run",
        )
        return _complain(incomplete, FAILED, as_json=_wants_json(words))
    except Exception as error:
        # The edge where a command ends: whatever went wrong, the terminal gets a sentence.
        log.info("The command failed", exc_info=True)
        unexpected = ToolboothError(f"Unexpected {type(error).__name__}: {error}")
        return _complain(unexpected, FAILED, as_json=_wants_json(words))


def _run(words: Sequence[str], data_dir_of: Callable[[str | None], Path]) -> int:
    _accept_any_text()
    call = parse([_decoded(word) for word in words])
    data_dir = data_dir_of(call.data_dir)
    _check_folder(data_dir)
    if call.command.request is not None:
        call = replace(call, arguments=call.command.request(call.arguments))

    from router.cli.execution import execute

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
        tell(warnings_of(result))
    return FAILED if command.failed is not None and command.failed(result) else DONE


def print_lines(command: Command, result: Any) -> None:
    for line in ["Done."] if command.lines is None else command.lines(result):
        print(line)


def _wants_json(words: Sequence[str]) -> bool:
    """Known without the parser, which may be what failed. What `connect` writes is MCP."""
    own = list(words)[: words.index("--")] if "--" in words else words
    return "--json" in own and own[0] != CONNECT.name


def _decoded(word: str) -> str:
    """Where the locale knows only ASCII, Python leaves the bytes of other letters as they are."""
    try:
        return os.fsencode(word).decode() if _UNDECODED.search(word) else word
    except UnicodeDecodeError:
        raise WrongUsage("The command line is not UTF-8 text.") from None


def _accept_any_text() -> None:
    """A character that the terminal can't show is written as its number."""
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")


def _check_folder(data_dir: Path) -> None:
    if data_dir.exists() and not data_dir.is_dir():
        raise ToolboothError(
            f"{data_dir} is a file, and Toolbooth keeps its files in a folder.",
            "Name a folder with --data-dir or TOOLBOOTH_HOME.",
        )


def _discard_output() -> int:
    """The reader has closed the pipe, as `head` does; the rest goes nowhere at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def _complain(error: ToolboothError, code: int, *, as_json: bool) -> int:
    """A sentence on stderr; with `--json` also an object where the result would have been."""
    if as_json:
        print(json.dumps({"error": {"message": error.message, "hint": error.hint}}), flush=True)
    print(f"toolbooth: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"           {error.hint}", file=sys.stderr)
    return code
